import { type AbiParameter, keccak256, toBytes } from 'viem'
import type { Hex } from '../../../../base/hex.ts'
import type { EnumMembers } from '../storage/layout.ts'
import { abiType, components, typeText } from './abi-type.ts'

export type ItemKind = 'function' | 'event' | 'error' | 'constructor'

/** The source of an item: the contract's own ABI, an ABI given by the user, the shipped table. */
export type Origin = 'contract' | 'given' | 'table'

/** A function, event, error or constructor of an ABI. */
export interface AbiItem {
  readonly kind: ItemKind
  readonly name: string
  /** `transfer(address,uint256)`. */
  readonly signature: string
  /** 4 bytes of a function or an error, 32 of an event; of a constructor the code before its arguments. */
  readonly selector: Hex
  readonly inputs: readonly AbiParameter[]
  /** Outputs of a function; undefined if the source does not give them. */
  readonly outputs: readonly AbiParameter[] | undefined
  /** Whether a function accepts ether; undefined if the source does not say. */
  readonly isPayable: boolean | undefined
  /** Whether a function only reads (view or pure); undefined if the source does not say. */
  readonly isReadOnly?: boolean | undefined
  readonly isAnonymous: boolean
  readonly origin: Origin
  /** Name of the contract or standard that defines it. */
  readonly source: string
}

const IDENTIFIER = /^[A-Za-z_$][\w$]{0,255}$/
/** `struct Book.Order[2][]`, `mapping(address => uint256)`: only characters that cannot mislead in display. */
const SOLIDITY_TYPE = /^[\w$.,=> ()[\]]{1,300}$/
const MAX_PARAMETERS = 256

export function signatureOf(name: string, inputs: readonly AbiParameter[]): string {
  return `${name}(${inputs.map((input) => typeText(input)).join(',')})`
}

function isParameterList(list: unknown): list is readonly AbiParameter[] {
  return (
    Array.isArray(list) &&
    list.length <= MAX_PARAMETERS &&
    list.every((each) => typeof each === 'object' && each !== null && abiType(each) !== undefined)
  )
}

/** Drops strings and members of a parameter that have the wrong type. */
function cleanParameter(parameter: AbiParameter, enums: EnumMembers): AbiParameter {
  const { name, type, internalType } = parameter
  const members = /^enum ([\w$.]+)/.exec(`${internalType}`)?.[1]
  const enumMembers = members === undefined ? undefined : enums.get(members)
  const { indexed } = parameter as { indexed?: unknown }
  return {
    type,
    ...(typeof name === 'string' && IDENTIFIER.test(name) && { name }),
    ...(typeof internalType === 'string' && SOLIDITY_TYPE.test(internalType) && { internalType }),
    ...(indexed === true && { indexed }),
    ...(enumMembers !== undefined && { enumMembers }),
    ...(type.startsWith('tuple') && {
      components: components(parameter).map((member) => cleanParameter(member, enums)),
    }),
  } as AbiParameter
}

/** Compilers since 0.4.16 write `stateMutability`, older ones `payable`. */
function isPayable(entry: object): boolean | undefined {
  const { stateMutability, payable } = entry as { stateMutability?: unknown; payable?: unknown }
  if (typeof stateMutability === 'string') return stateMutability === 'payable'
  return typeof payable === 'boolean' ? payable : undefined
}

/** Compilers before 0.4.16 write `constant`. */
function isReadOnly(entry: object): boolean | undefined {
  const { stateMutability, constant } = entry as { stateMutability?: unknown; constant?: unknown }
  if (typeof stateMutability === 'string') return /^(view|pure)$/.test(stateMutability)
  return typeof constant === 'boolean' ? constant : undefined
}

/**
 * Converts an entry of an ABI in JSON to an item; undefined for other entries: constructors, fallbacks, malformed
 * ones.
 */
export function abiItem(
  entry: unknown,
  origin: Origin,
  source: string,
  enums: EnumMembers = new Map(),
): AbiItem | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { type, name, inputs, outputs, anonymous } = entry as Record<string, unknown>
  // Compilers before 0.4.17 omit the type of functions.
  const kind = type ?? 'function'
  if (kind !== 'function' && kind !== 'event' && kind !== 'error') return undefined
  if (typeof name !== 'string' || !IDENTIFIER.test(name) || !isParameterList(inputs ?? [])) {
    return undefined
  }
  const clean = (list: readonly AbiParameter[]) => list.map((one) => cleanParameter(one, enums))
  const parameters = clean((inputs ?? []) as readonly AbiParameter[])
  const signature = signatureOf(name, parameters)
  const hash = keccak256(toBytes(signature))
  return {
    kind,
    name,
    signature,
    selector: kind === 'event' ? hash : (hash.slice(0, 10) as Hex),
    inputs: parameters,
    outputs: isParameterList(outputs) ? clean(outputs) : undefined,
    isPayable: isPayable(entry),
    isReadOnly: isReadOnly(entry),
    isAnonymous: kind === 'event' && anonymous === true,
    origin,
    source,
  }
}

/** Returns a constructor as an item. `code` is the creation code that its arguments follow. */
export function constructorItem(
  inputs: readonly AbiParameter[],
  source: string,
  code: Hex,
): AbiItem {
  return {
    kind: 'constructor',
    name: 'constructor',
    signature: signatureOf('constructor', inputs),
    selector: code,
    inputs,
    outputs: undefined,
    isPayable: undefined,
    isAnonymous: false,
    origin: 'contract',
    source,
  }
}

/** Returns the parameters of the constructor of an ABI in JSON; undefined if it has none. */
export function constructorInputs(
  abi: readonly unknown[],
  enums: EnumMembers,
): readonly AbiParameter[] | undefined {
  for (const entry of abi) {
    if (typeof entry !== 'object' || entry === null) continue
    const { type, inputs } = entry as Record<string, unknown>
    if (type !== 'constructor' || !isParameterList(inputs)) continue
    return inputs.map((one) => cleanParameter(one, enums))
  }
  return undefined
}
