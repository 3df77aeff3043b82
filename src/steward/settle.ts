/** The deed itself lies with the operator's verbs: he may do by hand what the settler does by itself. */
export { settleRain, type AfterReconnect, type Replicated, type Settling } from '../operator/settle.ts';
