// Written by tools/generate-tables.ts from tools/tables/revision.ts; do not edit.

export const REVISIONS = [
  'Frontier',
  'Homestead',
  'TangerineWhistle',
  'SpuriousDragon',
  'Byzantium',
  'Constantinople',
  'Petersburg',
  'Istanbul',
  'Berlin',
  'London',
  'Paris',
  'Shanghai',
  'Cancun',
  'Prague',
  'Osaka',
  'Amsterdam',
] as const
