CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, city TEXT, country TEXT, created DATE);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL, stock INTEGER, is_active BOOLEAN);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), ordered DATE, status TEXT, total REAL
);
CREATE TABLE order_items (
  order_id INTEGER REFERENCES orders (id), product_id INTEGER REFERENCES products (id), quantity INTEGER,
  unit_price REAL, PRIMARY KEY (order_id, product_id)
);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products (id), customer_id INTEGER REFERENCES customers (id),
  rating INTEGER, body TEXT, written TIMESTAMP
);
INSERT INTO customers VALUES (1, 'Ada Novak', 'ada@example.org', 'Prague', 'CZ', '2023-01-04'),
  (2, 'Bo Berg', NULL, 'Oslo', 'NO', '2023-06-30'), (3, 'Clara Sato', 'clara@example.org', 'Kyoto', 'JP', '2024-02-29');
INSERT INTO products VALUES (1, 'Green tea', 'food', 7.5, 120, TRUE), (2, 'Desk lamp', 'home', 39.9, 0, TRUE),
  (3, 'Notebook', 'office', 3.2, 500, FALSE);
INSERT INTO orders VALUES (1, 1, '2024-01-10', 'paid', 47.4), (2, 1, '2024-03-01', 'open', 6.4), (3, 3, '2023-12-24', 'paid', 75.0);
INSERT INTO order_items VALUES (1, 1, 1, 7.5), (1, 2, 1, 39.9), (2, 3, 2, 3.2), (3, 1, 10, 7.5);
INSERT INTO reviews VALUES (1, 1, 1, 5, 'Lovely', '2024-01-20 10:00:00'), (2, 2, 1, 2, NULL, '2024-01-21 08:30:00');
