-- Once, as a superuser: `rain_owner` owns the tables and migrates, `rain` is the role of all servers. Then give both a password.
CREATE ROLE rain_owner LOGIN;
CREATE ROLE rain LOGIN;
CREATE DATABASE rain OWNER rain_owner;
