import { compareBytes } from '../../base/bytes.ts'
import { formatData, parseFixedData } from '../../base/hex.ts'
import { requireCount } from '../../base/writable.ts'
import { NATIVE_DENOMINATION } from './generated/chain-precompile.ts'
import type { GenesisDenomination, GenesisHolding } from './genesis.ts'
import {
  atGenesisPath,
  type GenesisObject,
  invalidGenesis,
  MAX_U256,
  objectOf,
  readGenesisInteger,
  readGenesisObject,
  readGenesisString,
  requireKnownMembers,
} from './genesis-json.ts'

/** Cosmos SDK's rule for denomination names. */
const DENOMINATION = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/

const MAX_TEXT = 128
const MAX_DECIMALS = 255n

function readText(value: unknown, path: string): string {
  const text = readGenesisString(value, path)
  const size = new TextEncoder().encode(text).length
  if (size > MAX_TEXT) throw invalidGenesis(path, `has ${size} bytes, more than ${MAX_TEXT}`)
  return text
}

function readHoldings(value: unknown, path: string): GenesisHolding[] {
  const holdings = Object.entries(readGenesisObject(value, path)).map(([key, amount]) => ({
    address: atGenesisPath(`${path}["${key}"]`, () => parseFixedData(key, 20)),
    amount: readGenesisInteger(amount, `${path}["${key}"]`, MAX_U256),
  }))
  holdings.sort((a, b) => compareBytes(a.address, b.address))
  for (let i = 1; i < holdings.length; i++) {
    const { address } = holdings[i] as GenesisHolding
    if (compareBytes(address, (holdings[i - 1] as GenesisHolding).address) === 0) {
      throw invalidGenesis(path, `names ${formatData(address)} twice`)
    }
  }
  const supply = holdings.reduce((sum, { amount }) => sum + amount, 0n)
  if (supply > MAX_U256) throw invalidGenesis(path, 'add up to more than 2^256 - 1')
  return holdings
}

function readDenomination(denomination: string, value: unknown, path: string): GenesisDenomination {
  if (!DENOMINATION.test(denomination)) {
    throw invalidGenesis(
      path,
      'is not a denomination: write 3 to 128 letters, digits and /:._- that start with a letter',
    )
  }
  if (denomination === NATIVE_DENOMINATION) {
    throw invalidGenesis(
      path,
      'is the native denomination: write its balances in app_state.evm.alloc',
    )
  }
  const object = readGenesisObject(value, path)
  requireKnownMembers(object, path, ['name', 'symbol', 'decimals', 'pointer', 'balances'])
  const { pointer } = object
  const pointerPath = `${path}.pointer`
  return {
    denomination,
    name: readText(object.name ?? denomination, `${path}.name`),
    symbol: readText(object.symbol ?? denomination, `${path}.symbol`),
    decimals: Number(readGenesisInteger(object.decimals ?? '0', `${path}.decimals`, MAX_DECIMALS)),
    pointer:
      pointer === undefined
        ? undefined
        : atGenesisPath(pointerPath, () =>
            parseFixedData(readGenesisString(pointer, pointerPath), 20),
          ),
    balances: readHoldings(object.balances ?? {}, `${path}.balances`),
  }
}

/** Reads `app_state.bank`: every denomination except the native one, sorted by name. */
export function readBank(value: unknown): GenesisDenomination[] {
  if (value === undefined) return []
  const path = 'app_state.bank'
  const object = readGenesisObject(value, path)
  requireKnownMembers(object, path, ['denominations'])
  const list = `${path}.denominations`
  return Object.entries(readGenesisObject(object.denominations ?? {}, list))
    .map(([name, each]) => readDenomination(name, each, `${list}["${name}"]`))
    .sort((a, b) => (a.denomination < b.denomination ? -1 : 1))
}

/** Validates first: JSON turns NaN and Infinity into null, which would be read as the default. */
function writtenDecimals(decimals: number): number {
  requireCount(decimals, 'the decimals of a denomination', Number(MAX_DECIMALS))
  return decimals
}

/** Returns the `bank` member of `app_state`; an empty object if there are no such denominations. */
export function formatBank(denominations: readonly GenesisDenomination[]): GenesisObject {
  if (denominations.length === 0) return {}
  return {
    bank: {
      denominations: objectOf(
        'app_state.bank.denominations',
        denominations.map(({ denomination, name, symbol, decimals, pointer, balances }) => [
          denomination,
          {
            name,
            symbol,
            decimals: writtenDecimals(decimals),
            ...(pointer !== undefined && { pointer: formatData(pointer) }),
            balances: objectOf(
              `app_state.bank.denominations["${denomination}"].balances`,
              balances.map(({ address, amount }) => [formatData(address), amount.toString()]),
            ),
          },
        ]),
      ),
    },
  }
}
