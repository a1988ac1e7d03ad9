CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, country TEXT, born INTEGER);
CREATE TABLE books (
  id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors (id), genre TEXT, year INTEGER, pages INTEGER
);
CREATE TABLE copies (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (id), shelf TEXT, bought DATE);
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, joined DATE, city TEXT);
CREATE TABLE loans (
  id INTEGER PRIMARY KEY, copy_id INTEGER REFERENCES copies (id), member_id INTEGER REFERENCES members (id),
  lent DATE, due DATE, returned DATE
);
INSERT INTO authors VALUES (1, 'Karel Holub', 'CZ', 1890), (2, 'Mary Finch', 'GB', 1955);
INSERT INTO books VALUES (1, 'The river', 1, 'novel', 1931, 320), (2, 'Small birds', 2, 'nature', 1999, 180), (3, 'Large birds', 2, 'nature', 2004, 210);
INSERT INTO copies VALUES (1, 1, 'N-4', '2001-01-01'), (2, 2, 'S-1', '2010-05-05'), (3, 2, 'S-1', NULL);
INSERT INTO members VALUES (1, 'Jun', '2020-01-01', 'Oslo'), (2, 'Lea', '2023-08-15', 'Lima');
INSERT INTO loans VALUES (1, 1, 1, '2024-01-02', '2024-02-02', '2024-01-30'), (2, 2, 1, '2024-03-01', '2024-04-01', NULL), (3, 3, 2, '2023-05-01', '2023-06-01', '2023-07-01');
