/** The precompiles of this chain's own rules, for modules.wasm and for the host. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import {
  BECH32_PREFIX,
  CHAIN_PRECOMPILES,
  type ChainPrecompile,
  MODULE_GAS,
  NATIVE,
  PRECOMPILE_CODE,
} from './chain-precompile.ts'
import { constantName, docLine, header, hexByte } from './names.ts'

const TABLE = 'chain-precompile.ts'

function text(lines: readonly string[]): string {
  return [header(TABLE), ...lines, ''].join('\n')
}

function hexAddress(address: number): string {
  return `0x${address.toString(16)}`
}

/** Returns the first four bytes of the hash of a signature, as a number. */
function selector(signature: string): string {
  const hash = keccak_256(new TextEncoder().encode(signature))
  return `0x${Buffer.from(hash.subarray(0, 4)).toString('hex')}`
}

/** Returns the constant for a signature: `all_balances(address)` of bank as BANK_ALL_BALANCES. */
function selectorName({ name }: ChainPrecompile, signature: string): string {
  return `${name.toUpperCase()}_${constantName(signature.split('(')[0] as string)}`
}

function functionCases(): string[] {
  return CHAIN_PRECOMPILES.flatMap((precompile) =>
    (precompile.functions ?? []).map(({ signature, isPayable, isView, needsDowntime }) => {
      const flags = [
        'KNOWN',
        isPayable ? 'PAYABLE' : '',
        isView ? 'VIEW' : '',
        needsDowntime ? 'NEEDS_DOWNTIME' : '',
      ]
      const names = flags.filter((flag) => flag !== '').join(' | ')
      const named = selectorName(precompile, signature)
      return `  if (id == ${precompile.name.toUpperCase()}_ID && selector == ${named}) return ${names}`
    }),
  )
}

/** Returns the topics of their logs, 32 bytes each. */
function eventLines(): string[] {
  return CHAIN_PRECOMPILES.flatMap((precompile) =>
    (precompile.events ?? []).map((signature) => {
      const hash = keccak_256(new TextEncoder().encode(signature))
      const bytes = Array.from(hash, (byte) => hexByte(byte)).join(', ')
      return `export const ${selectorName(precompile, signature)}_EVENT: usize = memory.data<u8>([${bytes}])`
    }),
  )
}

/** Returns ids, selectors and missing features of the precompiles, in AssemblyScript. */
export function moduleFunctionSource(): string {
  const first = CHAIN_PRECOMPILES[0]?.address ?? 0
  return text([
    '// Ids of the precompiles: their addresses as numbers.',
    ...CHAIN_PRECOMPILES.map(
      ({ name, address }) => `export const ${name.toUpperCase()}_ID: u32 = ${hexAddress(address)}`,
    ),
    '',
    '// Selectors of their functions.',
    ...CHAIN_PRECOMPILES.flatMap((precompile) =>
      (precompile.functions ?? []).map(
        ({ signature }) =>
          `export const ${selectorName(precompile, signature)}: u32 = ${selector(signature)}`,
      ),
    ),
    '',
    '// Topics of their logs.',
    ...eventLines(),
    '',
    '// Flags of a function',
    'export const KNOWN: u32 = 1',
    'export const PAYABLE: u32 = 2',
    'export const VIEW: u32 = 4',
    'export const NEEDS_DOWNTIME: u32 = 8',
    '',
    '/** Returns the flags of a function of a precompile; 0 if it has no function with that selector. */',
    'export function flagsOf(id: u32, selector: u32): u32 {',
    ...functionCases(),
    '  return 0',
    '}',
    '',
    '/** Returns the name of a precompile. */',
    'export function nameOf(id: u32): string {',
    ...CHAIN_PRECOMPILES.slice(1).map(
      ({ name }) => `  if (id == ${name.toUpperCase()}_ID) return '${name}'`,
    ),
    `  return '${CHAIN_PRECOMPILES.find(({ address }) => address === first)?.name}'`,
    '}',
    '',
    '/** Returns what this chain lacks, so that every call of the precompile reverts; empty if it has a module. */',
    'export function lackOf(id: u32): string {',
    ...CHAIN_PRECOMPILES.flatMap(({ name, lacks }) =>
      lacks === undefined ? [] : [`  if (id == ${name.toUpperCase()}_ID) return '${lacks}'`],
    ),
    "  return ''",
    '}',
  ])
}

/** Returns prices and names, in AssemblyScript. */
export function moduleGasSource(): string {
  return text(
    MODULE_GAS.flatMap(({ name, amount, doc }) => [
      docLine(doc),
      `export const ${constantName(name)}: u64 = ${amount}`,
    ]),
  )
}

/** Returns the native denomination, in AssemblyScript. */
export function moduleNativeSource(): string {
  return text([
    `export const DENOMINATION: string = '${NATIVE.denomination}'`,
    `export const NAME: string = '${NATIVE.name}'`,
    `export const SYMBOL: string = '${NATIVE.symbol}'`,
    `export const DECIMALS: u64 = ${NATIVE.decimals}`,
    docLine('Wei per unit of the denomination.'),
    `export const WEI: u64 = ${NATIVE.wei}`,
    docLine('Prefix of a bech32 address.'),
    `export const BECH32_PREFIX: string = '${BECH32_PREFIX}'`,
  ])
}

/** Returns the host's data about them. */
export function chainPrecompileSource(): string {
  return text([
    'export interface ChainPrecompileRow {',
    '  /** Its value as a number. */',
    '  readonly address: number',
    '  readonly name: string',
    '  /** Module store of its rows. */',
    '  readonly store?: string',
    '}',
    '',
    docLine('By ascending address, without gaps.'),
    'export const CHAIN_PRECOMPILES: readonly ChainPrecompileRow[] = [',
    ...CHAIN_PRECOMPILES.map(({ address, name, store }) => {
      const lies = store === undefined ? '' : `, store: '${store}'`
      return `  { address: ${hexAddress(address)}, name: '${name}'${lies} },`
    }),
    ']',
    '',
    docLine('Code of their accounts, since Solidity checks EXTCODESIZE before it calls.'),
    `export const PRECOMPILE_CODE = ${hexByte(PRECOMPILE_CODE)}`,
    '',
    docLine("The denomination of accounts' balances."),
    `export const NATIVE_DENOMINATION = '${NATIVE.denomination}'`,
    '',
    docLine('Wei per unit of it.'),
    `export const NATIVE_WEI = ${NATIVE.wei}n`,
    '',
    docLine('Prefix of a bech32 address.'),
    `export const BECH32_PREFIX = '${BECH32_PREFIX}'`,
  ])
}
