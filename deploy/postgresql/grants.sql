-- After each `rain migrate`, as `rain_owner` in the database `rain`. `rain doctor` names what is missing.
-- The role of the servers appends. It changes what is listed here, deletes nothing, and cannot change a balance: the transfers do.
GRANT USAGE ON SCHEMA public TO rain;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO rain;
GRANT INSERT ON "Rain", "Campaign", "Portion", "Transfer", "OperatorAction", "Discard", "Reservation", "ReservedBudget", "Operator", "OperatorToken" TO rain;
GRANT UPDATE ("budgetCents", "packets", "opensAt", "closesAt", "sealedAt", "settledAt", "keeper") ON "Rain" TO rain;
GRANT UPDATE ("budgetCents", "reservedCents") ON "ReservedBudget" TO rain;
GRANT UPDATE ("passwordHash", "epoch", "disabledAt") ON "Operator" TO rain;
GRANT UPDATE ("revokedAt") ON "OperatorToken" TO rain;
GRANT UPDATE ("counter") ON "StoreEpoch" TO rain;
GRANT USAGE ON SEQUENCE "OperatorAction_id_seq" TO rain;
