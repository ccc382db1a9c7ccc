import type { Hex } from 'viem'

/** EIP-712 data with integers of both sizes. */
export const TYPED_DATA = {
  domain: {
    name: 'Shop',
    version: '1',
    chainId: 31_337,
    verifyingContract: `0x${'ab'.repeat(20)}` as Hex,
  },
  types: {
    Order: [
      { name: 'buyer', type: 'address' },
      { name: 'amount', type: 'uint256' },
      { name: 'note', type: 'string' },
    ],
  },
  primaryType: 'Order',
  message: { buyer: `0x${'cd'.repeat(20)}` as Hex, amount: 2n ** 200n, note: 'two' },
} as const

/** The same data in JSON. */
export const TYPED_DATA_JSON = {
  ...TYPED_DATA,
  message: { ...TYPED_DATA.message, amount: `0x${(2n ** 200n).toString(16)}` },
} as const

export const HASH: Hex = `0x${'5a'.repeat(32)}`
