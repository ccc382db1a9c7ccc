/** Protocol revisions, numbered as REVISIONS of host/chain-types/revision.ts. */
export const FRONTIER = 0
export const HOMESTEAD = 1
export const TANGERINE_WHISTLE = 2
export const SPURIOUS_DRAGON = 3
export const BYZANTIUM = 4
export const CONSTANTINOPLE = 5
export const PETERSBURG = 6
export const ISTANBUL = 7
export const BERLIN = 8
export const LONDON = 9
export const PARIS = 10
export const SHANGHAI = 11
export const CANCUN = 12
export const PRAGUE = 13
export const OSAKA = 14

/** The revision of the block being executed. */
export let revision: i32 = OSAKA

export function setRevision(value: i32): void {
  revision = value
}
