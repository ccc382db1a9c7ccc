import { hexDigits } from '../../base/hex.ts'
import { abiSelector } from '../../evm/chain-types/abi.ts'
import {
  type AbiMember,
  type PolicyAbiType,
  parseParameter,
  tupleOf,
  typeName,
} from './abi-type.ts'
import { type AbiValue, decodeArguments } from './canonical-abi.ts'
import {
  absent,
  type Context,
  ofOtherAction,
  once,
  type Reading,
  unknown,
  value,
} from './reading.ts'
import { ruleProblem, shown } from './rule-problem.ts'
import type { ScalarType } from './scalar.ts'
import { findPath, followPath, type ValuePath } from './value-path.ts'

export interface AbiFunction {
  readonly name: string
  /** Such as `transfer(address,uint256)`. */
  readonly signature: string
  readonly inputs: readonly AbiMember[]
}

/** The functions of an ABI by selector, in hex digits. */
export type AbiFunctions = ReadonlyMap<string, AbiFunction>

export type DecodedCalldata =
  | { readonly kind: 'call'; readonly method: AbiFunction; readonly values: readonly AbiValue[] }
  /** No calldata, which calls no function. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'undecodable'; readonly problem: string }

const NAME = /^[A-Za-z_$][\w$]{0,255}$/

/** Parses a JSON ABI. @throws INVALID_ARGUMENT if it is invalid, or if a selector or name is ambiguous */
export function parseAbi(abi: unknown, place: string): AbiFunctions {
  if (!Array.isArray(abi)) {
    const hint = 'add the JSON ABI of the contract, an array of the functions that the rule uses'
    throw ruleProblem(place, `${shown(abi)} is not an ABI`, hint)
  }
  const functions = new Map<string, AbiFunction>()
  for (const [index, item] of abi.entries()) {
    const { type, name, inputs } = (item ?? {}) as Record<string, unknown>
    if (type !== 'function') {
      if (typeof type === 'string') continue
      throw ruleProblem(`${place}[${index}]`, 'an item without a type', 'write "type": "function"')
    }
    const parameters = Array.isArray(inputs)
      ? inputs.map((input) => parseParameter(input))
      : [undefined]
    if (typeof name !== 'string' || !NAME.test(name) || parameters.includes(undefined)) {
      const hint = 'write it as a compiler does: type, name, and inputs with Solidity types'
      throw ruleProblem(`${place}[${index}]`, `${shown(item)} is not an ABI function`, hint)
    }
    const members = parameters as AbiMember[]
    const signature = `${name}${typeName(tupleOf(members))}`
    const selector = hexDigits(abiSelector(signature))
    const other = functions.get(selector)
    if (other !== undefined && other.signature !== signature) {
      const what = `${signature} has the selector of ${other.signature}`
      throw ruleProblem(
        `${place}[${index}]`,
        what,
        'leave out the one that the contract does not have',
      )
    }
    functions.set(selector, { name, signature, inputs: members })
  }
  if (functions.size === 0) {
    throw ruleProblem(place, 'it has no function', 'add the functions that the rule uses')
  }
  return functions
}

/** Decodes calldata with the functions of an ABI. */
export function decodeCall(functions: AbiFunctions, data: Uint8Array): DecodedCalldata {
  if (data.length === 0) return { kind: 'empty' }
  if (data.length < 4) {
    return { kind: 'undecodable', problem: 'the calldata is shorter than a selector' }
  }
  const selector = hexDigits(data.subarray(0, 4))
  const method = functions.get(selector)
  if (method === undefined) {
    return { kind: 'undecodable', problem: `the ABI of the rule has no function 0x${selector}` }
  }
  const found = decodeArguments(method.inputs, data.subarray(4))
  if ('values' in found) return { kind: 'call', method, values: found.values }
  return {
    kind: 'undecodable',
    problem: `not the encoding of ${method.signature}: ${found.problem}`,
  }
}

/** True if one of the values is of type `bytes`, which may hold another call. */
function carriesBytes(members: readonly AbiMember[], values: readonly AbiValue[]): boolean {
  const carries = (type: PolicyAbiType, each: AbiValue): boolean => {
    if (type.kind === 'bytes') return each !== '0x'
    if (type.kind === 'tuple') return carriesBytes(type.members, each as readonly AbiValue[])
    if (type.kind !== 'array') return false
    return (each as readonly AbiValue[]).some((item) => carries(type.item, item))
  }
  return members.some((member, index) => carries(member.type, values[index] as AbiValue))
}

function callOf(functions: AbiFunctions, context: Context): DecodedCalldata | Reading {
  const { action } = context.question
  if (!('transaction' in action)) return ofOtherAction(context, 'calldata')
  const { to, data } = action.transaction
  if (to === undefined) return unknown('a contract creation runs its data as code')
  return once(context, functions, () => decodeCall(functions, data))
}

/** A calldata field of a condition: `function_name`, or `<function>.<parameter>` with a path into the parameter. */
export interface CalldataField {
  readonly type: ScalarType
  /** For a parameter, its path in each overload of the function. */
  readonly paths: ReadonlyMap<AbiFunction, ValuePath>
  read(context: Context): Reading
}

/** @throws INVALID_ARGUMENT if the ABI has no such function or parameter, or if an overload lacks it */
export function calldataField(
  field: string,
  functions: AbiFunctions,
  place: string,
): CalldataField {
  const all = [...functions.values()]
  if (field === 'function_name') {
    const paths = new Map<AbiFunction, ValuePath>()
    return { type: 'text', paths, read: (context) => readCall(functions, undefined, context) }
  }
  const [name = ''] = field.split('.', 1)
  const overloads = all.filter((each) => each.name === name)
  if (overloads.length === 0 || name === field) {
    const names = [...new Set(all.map((each) => each.name))].join(', ')
    const hint = `write function_name, or a function of the ABI and its parameter, such as ${all[0]?.name}.<parameter>; the ABI has ${names}`
    throw ruleProblem(place, `${shown(field)} is not a parameter of a function of the ABI`, hint)
  }
  const paths = new Map<AbiFunction, ValuePath>()
  for (const each of overloads) {
    const path = findPath(field.slice(name.length + 1), each.inputs)
    if (typeof path === 'string') {
      const hint =
        'name parameters as the ABI does; all overloads of the function need the parameter, or leave them out of the ABI'
      throw ruleProblem(place, `${shown(field)} ${path} of ${each.signature}`, hint)
    }
    paths.set(each, path)
  }
  const [{ type }, ...others] = [...paths.values()] as [ValuePath, ...ValuePath[]]
  if (others.some((other) => other.type !== type)) {
    const hint = 'leave all overloads but one out of the ABI'
    throw ruleProblem(place, `${shown(field)} has several types`, hint)
  }
  return { type, paths, read: (context) => readCall(functions, { name, paths }, context) }
}

/** Reads a parameter, or the name of the function if `wanted` is undefined. */
function readCall(
  functions: AbiFunctions,
  wanted:
    | { readonly name: string; readonly paths: ReadonlyMap<AbiFunction, ValuePath> }
    | undefined,
  context: Context,
): Reading {
  const call = callOf(functions, context)
  if (call.kind === 'empty') return absent('there is no calldata')
  if (call.kind === 'undecodable') return unknown(call.problem)
  if (call.kind !== 'call') return call
  const { method, values } = call
  const path = wanted?.paths.get(method)
  if (path !== undefined) return { kind: 'values', values: followPath(values, path.steps) }
  const doubt = once(context, call, () => carriesBytes(method.inputs, values))
    ? `${method.signature} carries bytes, which may be calls`
    : undefined
  if (wanted !== undefined) {
    return doubt === undefined ? absent(`the call is ${method.signature}`) : unknown(doubt)
  }
  return doubt === undefined ? value(method.name) : { kind: 'values', values: [method.name], doubt }
}
