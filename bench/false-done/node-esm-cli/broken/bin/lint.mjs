import { readFileSync } from 'node:fs';

const known = JSON.parse(readFileSync('known.json', 'utf8'));
const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const strange = Object.keys(config).filter((key) => !known.includes(key));

for (const key of strange) console.warn(`warning: unknown key ${key}`);
console.log(`0 errors, ${strange.length} warning${strange.length === 1 ? '' : 's'}`);
