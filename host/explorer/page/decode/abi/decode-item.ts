import type { AbiParameter } from 'viem'
import { formatData, type Hex, parseData } from '../../../../base/hex.ts'
import { utf8Text } from '../format/bytes-text.ts'
import type { AbiItem, ItemKind } from './abi-item.ts'
import type { AbiLookup } from './abi-registry.ts'
import type { ContractRegistry } from './contract-registry.ts'
import { decodeValues, labelled } from './decode-values.ts'
import type { Decoded, Raw } from './decoded.ts'
import type { DecodedValue, Values } from './value.ts'

/** Returns the ABI registries for data sent to, or from, the code at an address. */
export function abisFor(lens: ContractRegistry, address: Hex | undefined): readonly AbiLookup[] {
  const own = address === undefined ? undefined : lens.abiAt(address.toLowerCase() as Hex)
  return own === undefined ? lens.fallbackAbis : [own, ...lens.fallbackAbis]
}

function withItem(item: AbiItem, found: Values): Decoded {
  return {
    kind: 'decoded',
    item,
    values: found.values,
    text: `${item.name}(${found.values.map(labelled).join(', ')})`,
    isExact: found.isExact,
    rest: found.rest,
    problem: problemOf(found),
    others: [],
  }
}

function problemOf({ values, problem, rest, isExact }: Values): string | undefined {
  if (problem !== undefined) return problem
  for (const value of values) {
    if (value.problem !== undefined) return `${value.name ?? value.type}: ${value.problem}`
  }
  if (rest !== '0x') return `${(rest.length - 2) / 2} bytes more than the values take`
  return isExact ? undefined : 'not encoded as a compiler does it'
}

/**
 * Returns the best candidate: exact encodings first, then in registry order. If one is exact, inexact ones are
 * dropped.
 */
export function chooseDecoded(candidates: readonly Decoded[]): Decoded | undefined {
  const exact = candidates.filter(({ isExact }) => isExact)
  const [first, ...others] = exact.length > 0 ? exact : candidates
  return first === undefined ? undefined : { ...first, others }
}

/** Decodes calldata or an error: a selector followed by values. */
export function decodeBySelector(
  kind: ItemKind,
  data: Hex,
  books: readonly AbiLookup[],
): Decoded | Raw {
  const selector = data.slice(0, 10).toLowerCase() as Hex
  if (data.length < 10) {
    return {
      kind: 'raw',
      bytes: data,
      selector: undefined,
      why: 'shorter than the 4 bytes of a selector',
    }
  }
  const items = distinct(books.flatMap((book) => book.find(kind, selector)))
  if (items.length === 0) {
    return {
      kind: 'raw',
      bytes: data,
      selector,
      why: `unknown ${kind} with the selector ${selector}`,
    }
  }
  const body = parseData(data).subarray(4)
  const candidates: Decoded[] = []
  let why: string | undefined
  for (const item of items) {
    const found = decodeValues(item.inputs, body)
    if (found.problem === undefined) candidates.push(withItem(item, found))
    else why ??= `not the arguments of ${item.signature}: ${found.problem}`
  }
  return chooseDecoded(candidates) ?? { kind: 'raw', bytes: data, selector, why: why as string }
}

/** Returns one item per signature: the first, from the most likely registry. */
function distinct(items: readonly AbiItem[]): AbiItem[] {
  return [
    ...new Map(items.toReversed().map((item) => [item.signature, item])).values(),
  ].toReversed()
}

export function decodeCalldata(
  input: Hex,
  lens: ContractRegistry,
  address: Hex | undefined,
): Decoded | Raw {
  return decodeBySelector('function', input, abisFor(lens, address))
}

/** Decodes the arguments after creation code. */
export function decodeConstructor(input: Hex, item: AbiItem): Decoded | Raw {
  const found = decodeValues(item.inputs, parseData(`0x${input.slice(item.selector.length)}`))
  if (found.problem === undefined) return withItem(item, found)
  const why = `not the arguments of ${item.signature}: ${found.problem}`
  return { kind: 'raw', bytes: input, selector: undefined, why }
}

/** Decodes the output of a function. */
export function decodeReturn(
  output: Hex,
  call: Decoded,
): { readonly kind: 'values'; readonly found: Values } | Raw {
  const raw = (why: string): Raw => ({ kind: 'raw', bytes: output, selector: undefined, why })
  const { outputs, signature } = call.item
  if (outputs === undefined) return raw(`the output types of ${signature} are unknown`)
  const found = decodeValues(outputs, parseData(output))
  return found.problem === undefined
    ? { kind: 'values', found }
    : raw(`not an output of ${signature}: ${found.problem}`)
}

/** Returns true for types whose topic is the hash of the value. */
function isHashed({ type }: AbiParameter): boolean {
  return /^(string|bytes|tuple.*|.*\])$/.test(type)
}

/** Returns true if a log of an event has only the hash of a value. */
export function hasHashedTopic({ inputs }: AbiItem): boolean {
  return inputs.some((input) => 'indexed' in input && input.indexed === true && isHashed(input))
}

/** Returns the bytes with a hash, if the run hashed them. */
export type PreimageLookup = (hash: bigint) => Uint8Array | undefined

function decodeTopics(
  item: AbiItem,
  topics: readonly Hex[],
  data: Uint8Array,
  preimageOf: PreimageLookup,
): Values | string {
  const indexed = item.inputs.filter((input) => 'indexed' in input && input.indexed === true)
  const plain = item.inputs.filter((input) => !indexed.includes(input))
  if (topics.length !== indexed.length) {
    return `${topics.length} values are indexed, but ${item.signature} has ${indexed.length}`
  }
  const hashOf = (parameter: AbiParameter) => (isHashed(parameter) ? 'bytes32' : parameter.type)
  const types = indexed.map((parameter) => ({ ...parameter, type: hashOf(parameter) }))
  const words = topics.map((topic) => topic.slice(2).padStart(64, '0')).join('')
  const heads = decodeValues(types as AbiParameter[], parseData(`0x${words}`))
  const rest = decodeValues(plain, data)
  if (rest.problem !== undefined) return rest.problem
  const fromTopics = heads.values.map((value, i): DecodedValue => {
    const parameter = indexed[i] as AbiParameter
    if (!isHashed(parameter)) return value
    const preimage = preimageOf(BigInt(topics[i] as Hex))
    const text = preimage && blobOf(parameter.type, preimage)
    return { ...value, type: parameter.type, text: text ?? `keccak256 ${value.text}` }
  })
  const values = item.inputs.map((input) => {
    const from = indexed.includes(input) ? fromTopics : rest.values
    return from[(indexed.includes(input) ? indexed : plain).indexOf(input)] as DecodedValue
  })
  return { values, isExact: heads.isExact && rest.isExact, rest: rest.rest, problem: undefined }
}

/** Formats the preimage of an indexed string or bytes; other types are hashed in a form of their own. */
function blobOf(type: string, preimage: Uint8Array): string | undefined {
  if (type === 'string') return utf8Text(preimage)
  return type === 'bytes' ? formatData(preimage) : undefined
}

/** Decodes a log with the registries for its address. */
export function decodeLog(
  log: { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex },
  lens: ContractRegistry,
  preimageOf: PreimageLookup = () => undefined,
): Decoded | Raw {
  const [selector, ...topics] = log.topics
  const raw = (why: string): Raw => ({ kind: 'raw', bytes: log.data, selector, why })
  const books = abisFor(lens, log.address)
  const named = selector === undefined ? [] : books.flatMap((book) => book.find('event', selector))
  const items = named.filter((item) => !item.isAnonymous)
  if (selector === undefined) return raw('an anonymous log: it has no topics')
  if (items.length === 0) return raw(`unknown event with the topic ${selector}`)
  const data = parseData(log.data)
  const candidates: Decoded[] = []
  let why: string | undefined
  for (const item of items) {
    const found = decodeTopics(item, topics, data, preimageOf)
    if (typeof found === 'string') why ??= `not the values of ${item.signature}: ${found}`
    else candidates.push(withItem(item, found))
  }
  return chooseDecoded(candidates) ?? raw(why as string)
}
