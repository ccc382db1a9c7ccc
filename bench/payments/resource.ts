/** The resource that every server of the benchmark sells, and its price: the dev gate's `/weather`. */
export const BODY = { city: 'Reykjavik', temperature: 4 }

export const PRICE = 1000n

/** The published packages know the token of chain id 1329 by this name, and reject unknown chains. */
export const CHAIN_ID = 1329
export const NETWORK = 'sei'

/** Dev accounts by index: some pay, each settler has its own nonces, one receives. */
export const PAYERS = [0, 1, 2, 3, 4, 5]
export const SETTLERS = { v1: 6, v2: 7 } as const
export const PAY_TO = 9
