export function Campaign({ campaignId }: { campaignId: string }) { return <p>{campaignId}</p>; }
