-- After each `rain migrate`, as `rain_owner` in the database `rain`. `rain doctor` names what is missing.
-- The roles of the servers append. They change what is listed here, delete nothing, and cannot change a balance: the transfers do.
GRANT USAGE ON SCHEMA public TO rain;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO rain;
GRANT INSERT ON "Rain", "Campaign", "Portion", "Allocation", "Transfer", "OperatorAction", "Discard", "Reservation", "ReservedBudget", "Operator", "OperatorToken" TO rain;
GRANT UPDATE ("budgetCents", "packets", "opensAt", "closesAt", "sealedAt", "settledAt", "keeper") ON "Rain" TO rain;
GRANT UPDATE ("budgetCents", "reservedCents") ON "ReservedBudget" TO rain;
GRANT UPDATE ("passwordHash", "epoch", "disabledAt") ON "Operator" TO rain;
GRANT UPDATE ("revokedAt") ON "OperatorToken" TO rain;
GRANT UPDATE ("counter") ON "StoreEpoch" TO rain;
GRANT USAGE ON SEQUENCE "OperatorAction_id_seq" TO rain;

-- Workers credit and settle what operators have planned. They cannot make a rain or a packet.
GRANT USAGE ON SCHEMA public TO rain_worker;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO rain_worker;
REVOKE SELECT ON "Operator", "OperatorToken" FROM rain_worker;
GRANT INSERT ON "Transfer", "OperatorAction", "Reservation", "ReservedBudget" TO rain_worker;
GRANT UPDATE ("sealedAt", "settledAt", "keeper") ON "Rain" TO rain_worker;
GRANT UPDATE ("budgetCents", "reservedCents") ON "ReservedBudget" TO rain_worker;
GRANT UPDATE ("counter") ON "StoreEpoch" TO rain_worker;
GRANT USAGE ON SEQUENCE "OperatorAction_id_seq" TO rain_worker;
-- Only where campaigns roll over: a worker then tops up the next round.
-- GRANT INSERT ON "Portion", "Allocation" TO rain_worker;
-- GRANT UPDATE ("budgetCents", "packets") ON "Rain" TO rain_worker;
