import { readFileSync, readdirSync } from 'node:fs';
const f = readdirSync('/tmp/w/overload/.prof').filter(x=>x.endsWith('.cpuprofile')).sort().at(-1);
const p = JSON.parse(readFileSync('/tmp/w/overload/.prof/'+f));
const self = new Map(); const byId = new Map(p.nodes.map(n=>[n.id,n]));
for (let i=0;i<p.samples.length;i++){const n=byId.get(p.samples[i]);const k=n.callFrame.functionName+' '+n.callFrame.url.split('/').slice(-2).join('/')+':'+n.callFrame.lineNumber;self.set(k,(self.get(k)??0)+p.timeDeltas[i]);}
const tot=[...self].filter(([k])=>!/idle|program/.test(k)).reduce((a,[,v])=>a+v,0);
for(const [k,v] of [...self].sort((a,b)=>b[1]-a[1]).slice(0,38)) console.log((v/1000).toFixed(0).padStart(7)+' ms', (v/tot*100).toFixed(1)+'%', k);
