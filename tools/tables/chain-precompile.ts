/** A function of a precompile, by the ABI of its callers. */
export interface PrecompileFunction {
  /** Name and types, as hashed for the selector. */
  readonly signature: string
  /** Return types, in Solidity's notation. */
  readonly returns: string
  /** True if it accepts value; others revert on value. */
  readonly isPayable?: boolean
  /** True if it only reads: it may be called statically and by DELEGATECALL. */
  readonly isView?: boolean
  /** True if only chains whose genesis jails validators for downtime have it. */
  readonly needsDowntime?: boolean
}

/** A precompile of this chain's own rules, answered in modules.wasm. */
export interface ChainPrecompile {
  readonly address: number
  readonly name: string
  /** Module store of its rows; undefined if it keeps no state. */
  readonly store?: string
  readonly functions?: readonly PrecompileFunction[]
  /** Logs that it emits, as hashed for the topic. */
  readonly events?: readonly string[]
  /** What this chain lacks: every call reverts with it. */
  readonly lacks?: string
}

const view = (signature: string, returns: string): PrecompileFunction => ({
  signature,
  returns,
  isView: true,
})

/** Addresses 0x1001 to 0x1015 without a gap, as upstream. A row with functions has a file in assembly/module/. */
export const CHAIN_PRECOMPILES: readonly ChainPrecompile[] = [
  {
    address: 0x1001,
    name: 'bank',
    store: 'bank',
    functions: [
      { signature: 'send(address,address,string,uint256)', returns: 'bool' },
      { signature: 'sendNative(string)', returns: 'bool', isPayable: true },
      view('balance(address,string)', 'uint256'),
      view('all_balances(address)', '(uint256,string)[]'),
      view('name(string)', 'string'),
      view('symbol(string)', 'string'),
      view('decimals(string)', 'uint8'),
      view('supply(string)', 'uint256'),
    ],
  },
  { address: 0x1002, name: 'wasmd', lacks: 'no CosmWasm contracts' },
  {
    address: 0x1003,
    name: 'json',
    functions: [
      view('extractAsBytes(bytes,string)', 'bytes'),
      view('extractAsBytesList(bytes,string)', 'bytes[]'),
      view('extractAsUint256(bytes,string)', 'uint256'),
      view('extractAsBytesFromArray(bytes,uint16)', 'bytes'),
    ],
  },
  {
    address: 0x1004,
    name: 'addr',
    store: 'addr',
    functions: [
      { signature: 'associate(string,string,string,string)', returns: 'string,address' },
      { signature: 'associatePubKey(string)', returns: 'string,address' },
      view('getSeiAddr(address)', 'string'),
      view('getEvmAddr(string)', 'address'),
    ],
  },
  {
    address: 0x1005,
    name: 'staking',
    store: 'staking',
    functions: [
      { signature: 'delegate(string)', returns: 'bool', isPayable: true },
      { signature: 'redelegate(string,string,uint256)', returns: 'bool' },
      { signature: 'undelegate(string,uint256)', returns: 'bool' },
      {
        signature: 'createValidator(string,string,string,string,string,uint256)',
        returns: 'bool',
        isPayable: true,
      },
      { signature: 'editValidator(string,string,uint256)', returns: 'bool' },
      view('delegation(address,string)', '((uint256,string),(string,uint256,uint256,string))'),
      { signature: 'unjail()', returns: 'bool', needsDowntime: true },
      {
        ...view('signingInfo(string)', 'uint256,uint256,uint256,bool'),
        needsDowntime: true,
      },
      { signature: 'beginBlock()', returns: 'uint256' },
    ],
    events: [
      'Delegate(address,string,uint256)',
      'Redelegate(address,string,string,uint256)',
      'Undelegate(address,string,uint256)',
      'ValidatorCreated(address,string,string)',
      'ValidatorEdited(address,string,string)',
      'ValidatorUnjailed(address,string)',
    ],
  },
  { address: 0x1006, name: 'gov', lacks: 'no governance' },
  { address: 0x1007, name: 'distribution', lacks: 'no distribution of rewards' },
  { address: 0x1008, name: 'oracle', lacks: 'no price oracle' },
  { address: 0x1009, name: 'ibc', lacks: 'no IBC' },
  { address: 0x100a, name: 'pointerview', lacks: 'no registry of pointers' },
  { address: 0x100b, name: 'pointer', lacks: 'no registration of pointers: genesis names them' },
  { address: 0x100c, name: 'solo', lacks: 'no accounts to claim' },
  { address: 0x100d, name: 'auth', lacks: 'no accounts besides those of the EVM' },
  { address: 0x100e, name: 'authz', lacks: 'no grants' },
  { address: 0x100f, name: 'evidence', lacks: 'no evidence module' },
  { address: 0x1010, name: 'feegrant', lacks: 'no fee grants' },
  { address: 0x1011, name: 'p256', functions: [view('verify(bytes)', 'bytes')] },
  { address: 0x1012, name: 'mint', lacks: 'no minting' },
  { address: 0x1013, name: 'params', lacks: 'no changes of parameters' },
  { address: 0x1014, name: 'slashing', lacks: 'no way out of jail by a call' },
  { address: 0x1015, name: 'upgrade', lacks: 'no upgrades by plan' },
]

/** Prices of operations of this chain's precompiles. */
export const MODULE_GAS = [
  { name: 'call', amount: 1_000, doc: 'A call: it leaves the engine, for some 3 us.' },
  { name: 'word', amount: 3, doc: 'Each word of input and of output, priced like a memory copy.' },
  {
    name: 'rowRead',
    amount: 2_100,
    doc: 'The first read of a row in a call, priced like a cold SLOAD.',
  },
  { name: 'rowAgain', amount: 100, doc: 'Another read of it, priced like a warm SLOAD.' },
  { name: 'rowNew', amount: 20_000, doc: 'A new row, in addition to its read.' },
  { name: 'rowChange', amount: 2_900, doc: 'A changed or deleted row, in addition to its read.' },
  { name: 'accountRead', amount: 2_600, doc: 'The first read of an account in a call (EIP-2929).' },
  { name: 'move', amount: 9_000, doc: 'A move of wei, priced like a CALL with value.' },
  { name: 'newAccount', amount: 25_000, doc: 'An account created by a move.' },
  { name: 'log', amount: 375, doc: 'A log.' },
  { name: 'logTopic', amount: 375, doc: 'Each of its topics.' },
  { name: 'logByte', amount: 8, doc: 'Each byte of its data.' },
  { name: 'jsonByte', amount: 2, doc: 'Each byte of a JSON document.' },
  {
    name: 'recovery',
    amount: 3_000,
    doc: 'A public key recovered from a signature, priced like ECREC.',
  },
  { name: 'keyHash', amount: 750, doc: 'The addresses of a public key.' },
  { name: 'p256', amount: 6_900, doc: 'A signature over P-256 (EIP-7951).' },
] as const

/** The denomination of accounts' balances, and wei per unit of it. */
export const NATIVE = {
  denomination: 'usei',
  name: 'Sei',
  symbol: 'SEI',
  decimals: 6,
  wei: 10n ** 12n,
} as const

/** Prefix of a bech32 address. */
export const BECH32_PREFIX = 'sei'

/** INVALID: the code of these precompiles' accounts, since Solidity checks EXTCODESIZE before it calls. */
export const PRECOMPILE_CODE = 0xfe
