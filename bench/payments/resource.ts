/** What every server of the bench sells, and for how much: the dev gate's `/weather`. */
export const BODY = { city: 'Reykjavik', temperature: 4 }

export const PRICE = 1000n

/** The published packages know the token of chain id 1329 by this name, and take no chain that they do not know. */
export const CHAIN_ID = 1329
export const NETWORK = 'sei'

/** Dev accounts by number: some pay, each settler has its own nonces, one is paid. */
export const PAYERS = [0, 1, 2, 3, 4, 5]
export const SETTLERS = { v1: 6, v2: 7 } as const
export const PAY_TO = 9
