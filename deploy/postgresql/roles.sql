-- Once, as a superuser: `rain_owner` owns the tables and migrates, `rain` is the role of the console and the command line, and
-- `rain_worker` the one of the workers. Gateways need none. Then give each a password.
CREATE ROLE rain_owner LOGIN;
CREATE ROLE rain LOGIN;
CREATE ROLE rain_worker LOGIN;
CREATE DATABASE rain OWNER rain_owner;
