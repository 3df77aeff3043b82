-- After each `rain migrate`, as `rain_owner` in the database `rain`. `rain doctor` names what is missing.
-- The roles of the servers append. They change what is listed here, delete nothing else, and cannot change a balance: the transfers do.
GRANT USAGE ON SCHEMA public TO rain;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO rain;
GRANT INSERT ON "Rain", "Campaign", "Portion", "Allocation", "Transfer", "OperatorAction", "Discard", "Reservation", "ReservedBudget", "Operator", "OperatorToken", "RecoveryCode", "Approval", "Sale", "SaleItem", "SaleTopUp", "UnfollowedOrder", "SaleRefusal", "Erasure", "Participant", "CampaignExclusion", "Theme", "ThemeFile", "ItemPicture", "Greeting", "Template" TO rain;
GRANT UPDATE ("budgetCents", "packets", "opensAt", "closesAt", "sealedAt", "settledAt", "keeper") ON "Rain" TO rain;
GRANT UPDATE ("budgetCents", "reservedCents") ON "ReservedBudget" TO rain;
GRANT UPDATE ("role", "passwordHash", "epoch", "disabledAt", "totpSecret", "totpStep", "endedSessions")
    ON "Operator" TO rain;
GRANT UPDATE ("revokedAt", "lastUsedAt", "lastUsedFrom") ON "OperatorToken" TO rain;
GRANT UPDATE ("endedAt") ON "RecoveryCode" TO rain;
GRANT UPDATE ("decidedBy", "decidedAt", "isApproved", "carriedOutAt") ON "Approval" TO rain;
GRANT UPDATE ("name", "department", "userId", "codeSalt", "codeKey", "addedAt", "enteredAt", "removedAt") ON "Participant" TO rain;
GRANT DELETE, UPDATE ("title", "colours", "isDefault", "changedAt") ON "Theme" TO rain;
GRANT DELETE, UPDATE ("type", "bytes", "sha256") ON "ThemeFile" TO rain;
GRANT DELETE, UPDATE ("keptAt") ON "ItemPicture" TO rain;
GRANT UPDATE ("sender", "blessing", "themeId", "prizes", "changedAt") ON "Greeting" TO rain;
GRANT DELETE, UPDATE ("title", "rain", "changedAt") ON "Template" TO rain;
GRANT UPDATE ("counter") ON "StoreEpoch" TO rain;
GRANT UPDATE ("opensAt", "closesAt", "sealedAt", "settledAt") ON "Sale" TO rain;
GRANT UPDATE ("status", "changedAt") ON "SaleOrder" TO rain;
GRANT DELETE, UPDATE ("changedAt") ON "UnfollowedOrder" TO rain;
GRANT DELETE ON "CampaignExclusion" TO rain;
GRANT USAGE ON SEQUENCE "OperatorAction_id_seq" TO rain;

-- Workers credit and settle what operators have planned. They can make no rain, no packet, no sale and no stock.
GRANT USAGE ON SCHEMA public TO rain_worker;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO rain_worker;
REVOKE SELECT ON "Operator", "OperatorToken", "RecoveryCode", "Approval" FROM rain_worker;
GRANT INSERT ON "Transfer", "OperatorAction", "Reservation", "ReservedBudget", "SaleOrder", "UnfollowedOrder", "SaleRefusal" TO rain_worker;
GRANT UPDATE ("sealedAt", "settledAt", "keeper") ON "Rain" TO rain_worker;
GRANT UPDATE ("budgetCents", "reservedCents") ON "ReservedBudget" TO rain_worker;
GRANT UPDATE ("sealedAt", "settledAt") ON "Sale" TO rain_worker;
GRANT UPDATE ("status", "changedAt") ON "SaleOrder" TO rain_worker;
GRANT DELETE, UPDATE ("changedAt") ON "UnfollowedOrder" TO rain_worker;
GRANT UPDATE ("counter") ON "StoreEpoch" TO rain_worker;
GRANT USAGE ON SEQUENCE "OperatorAction_id_seq" TO rain_worker;
-- Only where campaigns roll over: a worker then tops up the next round.
-- GRANT INSERT ON "Portion", "Allocation" TO rain_worker;
-- GRANT UPDATE ("budgetCents", "packets") ON "Rain" TO rain_worker;
-- Only where USER_RETENTION_DAYS is set: a worker then erases users.
-- GRANT INSERT ON "Erasure" TO rain_worker;
