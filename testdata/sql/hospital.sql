CREATE TABLE departments (id INTEGER PRIMARY KEY, name TEXT, floor INTEGER, beds INTEGER);
CREATE TABLE doctors (
  id INTEGER PRIMARY KEY, name TEXT, specialty TEXT, department_id INTEGER REFERENCES departments (id), hired DATE
);
CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT, birth_date DATE, sex TEXT, insurance TEXT);
CREATE TABLE appointments (
  id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients (id), doctor_id INTEGER REFERENCES doctors (id),
  scheduled TIMESTAMP, status TEXT, fee NUMERIC(8, 2)
);
CREATE TABLE prescriptions (
  id INTEGER PRIMARY KEY, appointment_id INTEGER REFERENCES appointments (id), drug TEXT, dose_mg REAL, days INTEGER
);
INSERT INTO departments VALUES (1, 'Cardiology', 3, 24), (2, 'Surgery', 1, 40);
INSERT INTO doctors VALUES (1, 'Dr. Okafor', 'heart', 1, '2015-04-01'), (2, 'Dr. Lind', 'bones', 2, '2021-10-15'), (3, 'Dr. Rao', 'heart', 1, '2022-01-01');
INSERT INTO patients VALUES (1, 'Gita', '1980-03-03', 'F', 'public'), (2, 'Hugo', '1955-12-12', 'M', 'private'), (3, 'Ines', '2011-07-08', 'F', NULL);
INSERT INTO appointments VALUES (1, 1, 1, '2024-02-01 09:00:00', 'done', 80), (2, 2, 1, '2024-02-01 10:00:00', 'cancelled', 0),
  (3, 2, 2, '2024-02-14 15:30:00', 'done', 120.5), (4, 3, 3, '2024-03-01 08:00:00', 'booked', NULL);
INSERT INTO prescriptions VALUES (1, 1, 'aspirin', 100, 30), (2, 3, 'ibuprofen', 400, 5), (3, 3, 'aspirin', 100, 5);
