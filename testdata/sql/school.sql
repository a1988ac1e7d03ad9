CREATE TABLE teachers (id INTEGER PRIMARY KEY, name TEXT, subject TEXT, salary INTEGER, hired DATE);
CREATE TABLE students (id INTEGER PRIMARY KEY, name TEXT, grade INTEGER, birth_date DATE, city TEXT);
CREATE TABLE courses (
  id INTEGER PRIMARY KEY, title TEXT, teacher_id INTEGER REFERENCES teachers (id), credits INTEGER, room TEXT
);
CREATE TABLE enrollments (
  student_id INTEGER REFERENCES students (id), course_id INTEGER REFERENCES courses (id), term TEXT, mark REAL,
  passed BOOLEAN, PRIMARY KEY (student_id, course_id, term)
);
INSERT INTO teachers VALUES (1, 'Mr. Hill', 'Mathematics', 52000, '2010-09-01'), (2, 'Ms. Wood', 'History', 48000, '2019-02-01');
INSERT INTO students VALUES (1, 'Dan', 9, '2009-05-02', 'Lima'), (2, 'Eva', 10, '2008-11-30', 'Lima'), (3, 'Finn', 9, '2009-01-15', NULL);
INSERT INTO courses VALUES (1, 'Algebra', 1, 5, 'A1'), (2, 'Geometry', 1, 4, 'A2'), (3, 'Modern history', 2, 3, 'B1');
INSERT INTO enrollments VALUES (1, 1, '2024S', 71.5, TRUE), (2, 1, '2024S', 93.0, TRUE), (2, 3, '2024S', 48.0, FALSE), (3, 2, '2023F', NULL, NULL);
