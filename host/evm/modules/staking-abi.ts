/** JSON ABI of the precompile 0x1005 for ethers, viem and solc; documented in STAKING.md. */
export const STAKING_ABI = [
  {
    type: 'function',
    name: 'delegate',
    stateMutability: 'payable',
    inputs: [{ name: 'valAddress', type: 'string' }],
    outputs: [{ name: 'success', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'redelegate',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'srcAddress', type: 'string' },
      { name: 'dstAddress', type: 'string' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'undelegate',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'valAddress', type: 'string' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'createValidator',
    stateMutability: 'payable',
    inputs: [
      { name: 'pubKeyHex', type: 'string' },
      { name: 'moniker', type: 'string' },
      { name: 'commissionRate', type: 'string' },
      { name: 'commissionMaxRate', type: 'string' },
      { name: 'commissionMaxChangeRate', type: 'string' },
      { name: 'minSelfDelegation', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'editValidator',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'moniker', type: 'string' },
      { name: 'commissionRate', type: 'string' },
      { name: 'minSelfDelegation', type: 'uint256' },
    ],
    outputs: [{ name: 'success', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'delegation',
    stateMutability: 'view',
    inputs: [
      { name: 'delegator', type: 'address' },
      { name: 'valAddress', type: 'string' },
    ],
    outputs: [
      {
        name: 'delegation',
        type: 'tuple',
        components: [
          {
            name: 'balance',
            type: 'tuple',
            components: [
              { name: 'amount', type: 'uint256' },
              { name: 'denom', type: 'string' },
            ],
          },
          {
            name: 'delegation',
            type: 'tuple',
            components: [
              { name: 'delegator_address', type: 'string' },
              { name: 'shares', type: 'uint256' },
              { name: 'decimals', type: 'uint256' },
              { name: 'validator_address', type: 'string' },
            ],
          },
        ],
      },
    ],
  },
  {
    type: 'function',
    name: 'unjail',
    stateMutability: 'nonpayable',
    inputs: [],
    outputs: [{ name: 'success', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'signingInfo',
    stateMutability: 'view',
    inputs: [{ name: 'valAddress', type: 'string' }],
    outputs: [
      { name: 'startHeight', type: 'uint256' },
      { name: 'missedBlocks', type: 'uint256' },
      { name: 'jailedUntil', type: 'uint256' },
      { name: 'tombstoned', type: 'bool' },
    ],
  },
  {
    type: 'event',
    name: 'Delegate',
    inputs: [
      { name: 'delegator', type: 'address', indexed: true },
      { name: 'validator', type: 'string', indexed: false },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'Redelegate',
    inputs: [
      { name: 'delegator', type: 'address', indexed: true },
      { name: 'srcValidator', type: 'string', indexed: false },
      { name: 'dstValidator', type: 'string', indexed: false },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'Undelegate',
    inputs: [
      { name: 'delegator', type: 'address', indexed: true },
      { name: 'validator', type: 'string', indexed: false },
      { name: 'amount', type: 'uint256', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'ValidatorCreated',
    inputs: [
      { name: 'creator', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'string', indexed: false },
      { name: 'moniker', type: 'string', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'ValidatorEdited',
    inputs: [
      { name: 'editor', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'string', indexed: false },
      { name: 'moniker', type: 'string', indexed: false },
    ],
  },
  {
    type: 'event',
    name: 'ValidatorUnjailed',
    inputs: [
      { name: 'operator', type: 'address', indexed: true },
      { name: 'validatorAddress', type: 'string', indexed: false },
    ],
  },
] as const
