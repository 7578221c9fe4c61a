// A file of its own, so that entry.cjs loads one name. No compiled code is cached in the home: agents can write there, and a
// person's next command would run what they left (docs/adr/0015).
void import('./main.ts')
