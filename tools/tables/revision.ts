/** Protocol revisions in order. The number of each is its index. */
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

export type Revision = (typeof REVISIONS)[number]

/** A number that some revisions change. Each entry holds from its revision on, the first from Frontier. */
export type ByRevision = readonly (readonly [since: Revision, value: number])[]
