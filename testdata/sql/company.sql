CREATE TABLE departments (id INTEGER PRIMARY KEY, name TEXT, city TEXT, budget REAL);
CREATE TABLE employees (
  id INTEGER PRIMARY KEY, name TEXT, title TEXT, department_id INTEGER REFERENCES departments (id),
  manager_id INTEGER REFERENCES employees (id), salary INTEGER, hired DATE, left_on DATE
);
CREATE TABLE projects (
  id INTEGER PRIMARY KEY, name TEXT, department_id INTEGER REFERENCES departments (id), starts DATE, ends DATE, cost REAL
);
CREATE TABLE assignments (
  employee_id INTEGER REFERENCES employees (id), project_id INTEGER REFERENCES projects (id), hours INTEGER, role TEXT,
  PRIMARY KEY (employee_id, project_id)
);
INSERT INTO departments VALUES (1, 'Engineering', 'Berlin', 900000), (2, 'Sales', 'Lisbon', 300000);
INSERT INTO employees VALUES (1, 'Mia', 'director', 1, NULL, 120000, '2012-01-01', NULL), (2, 'Noel', 'engineer', 1, 1, 80000, '2019-05-01', NULL),
  (3, 'Olga', 'engineer', 1, 1, 130000, '2020-03-15', '2023-12-31'), (4, 'Paul', 'clerk', 2, 1, 40000, '2021-07-01', NULL);
INSERT INTO projects VALUES (1, 'Atlas', 1, '2023-01-01', NULL, 250000), (2, 'Borealis', 2, '2022-01-01', '2022-12-31', 40000);
INSERT INTO assignments VALUES (2, 1, 300, 'developer'), (3, 1, 120, 'lead'), (4, 2, 80, 'helper'), (2, 2, 10, 'helper');
