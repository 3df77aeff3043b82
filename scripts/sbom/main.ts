// `npm run sbom`: writes sbom.json.
import { writeFileSync } from 'node:fs';
import { billOfMaterials } from './billOfMaterials.ts';

writeFileSync('sbom.json', await billOfMaterials());
