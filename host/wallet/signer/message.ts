import { type Hex, parseQuantity } from '../../base/hex.ts'
import { isStorableText } from '../../storage/store/sqlite/storable.ts'
import type { SimulatedOutflow } from '../policy/decision.ts'
import type { AgentProof } from '../protocol/agent.ts'
import type { SignedRequest } from '../protocol/authorization.ts'
import { isWalletErrorCode, WalletError, type WalletErrorCode } from '../protocol/wallet-error.ts'
import type {
  FilledTransaction,
  KnownTransaction,
  SignAnswer,
  SignerRequest,
} from './signer-link.ts'

/** A request to the signer over its socket. `id` is unique per connection. */
export type SignerQuestion = UnnumberedQuestion & { readonly id: number }

/** A request before it has an id. */
export type UnnumberedQuestion =
  | {
      readonly kind: (typeof KINDS)[number]
      readonly asked: SignerRequest
      readonly filled?: FilledTransaction
      /** For `foresee`. */
      readonly known?: KnownTransaction
    }
  | { readonly kind: 'identify'; readonly agent: AgentProof }

const KINDS = ['ask', 'authorize', 'foresee', 'sign'] as const

/** Liveness check, answered ahead of the queue. */
export const PING = { id: 0, kind: 'ping' } as const

export function isPing(message: unknown): boolean {
  return isMembers(message) && message.kind === PING.kind
}

/** The response to the request with the same `id`: a value or an error. */
export type SignerResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PlainWalletError }

export interface PlainWalletError {
  readonly code: WalletErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

type Members = Readonly<Record<string, unknown>>

const FILLED = [
  'chainId',
  'nonce',
  'gas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'gasPrice',
] as const

/** Integers are 0x-hex on the socket: JSON numbers are not exact. */
export function questionJson(question: SignerQuestion): unknown {
  if (question.kind === 'identify') return question
  const { id, kind, asked, filled, known } = question
  if (known !== undefined) {
    const { isLast, ...integers } = known
    return { id, kind, asked, known: { ...quantitiesJson(integers), isLast } }
  }
  if (filled === undefined) return { id, kind, asked }
  const { simulation, ...integers } = filled
  const told = simulation === undefined ? {} : { simulation: simulationJson(simulation) }
  return { id, kind, asked, filled: { ...quantitiesJson(integers), ...told } }
}

function quantitiesJson(integers: Readonly<Record<string, bigint | undefined>>): object {
  const given = Object.entries(integers).filter(
    (entry): entry is [string, bigint] => entry[1] !== undefined,
  )
  return Object.fromEntries(given.map(([name, value]) => [name, quantity(value)]))
}

function simulationJson({ succeeds, out }: SimulatedOutflow): unknown {
  return { succeeds, out: [...out].map(([asset, amount]) => [asset, quantity(amount)]) }
}

function readSimulation(given: unknown): SimulatedOutflow {
  const { succeeds, out } = isMembers(given) ? given : { succeeds: undefined, out: undefined }
  const isAmount = (entry: unknown) =>
    Array.isArray(entry) && entry.length === 2 && entry.every((each) => typeof each === 'string')
  if (typeof succeeds !== 'boolean' || !Array.isArray(out) || !out.every(isAmount)) {
    throw malformed('a simulation with missing or unknown members')
  }
  try {
    return {
      succeeds,
      out: new Map(out.map(([asset, amount]: [string, string]) => [asset, parseQuantity(amount)])),
    }
  } catch {
    throw malformed('an amount of the simulation is not a quantity')
  }
}

/** Returns the id of a message, if it has one. */
export function idOf(message: unknown): number | undefined {
  const { id } = isMembers(message) ? message : { id: undefined }
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined
}

/** @throws WalletError invalid_data if it is not a message that the API sends */
export function readQuestion(message: unknown): SignerQuestion {
  const id = idOf(message)
  if (!isMembers(message) || id === undefined) throw malformed('a message without its number')
  const { kind: named, asked, filled, known, agent } = message
  if (named === 'identify') return { id, kind: named, agent: readAgent(agent) }
  const kind = KINDS.find((each) => each === named)
  if (kind === undefined) throw malformed('a message that neither asks nor signs')
  if (!isMembers(asked)) throw malformed('a message without a request')
  const question = { id, kind, asked: readAsked(asked) } as const
  if (known !== undefined) return { ...question, known: readKnown(known) }
  return filled === undefined ? question : { ...question, filled: readFilled(filled) }
}

function readAsked({ appId, requestId, agent, request }: Members): SignerRequest {
  if (!isName(appId) || !isName(requestId) || !isMembers(request)) {
    throw malformed('a request without the names of its app and itself')
  }
  const asked = { appId, requestId, request: readRequest(request) }
  return agent === undefined ? asked : { ...asked, agent: readAgent(agent) }
}

function readAgent(agent: unknown): AgentProof {
  const { id, secret } = isMembers(agent) ? agent : { id: undefined, secret: undefined }
  if (!isName(id) || !isName(secret)) throw malformed('an agent without its id and secret')
  return { id, secret }
}

function readRequest({ method, path, body, headers, signatures }: Members): SignedRequest {
  if (
    !isMethod(method) ||
    typeof path !== 'string' ||
    typeof body !== 'string' ||
    !isMembers(headers) ||
    !Object.values(headers).every((value) => typeof value === 'string') ||
    !Array.isArray(signatures) ||
    !signatures.every((value) => typeof value === 'string')
  ) {
    throw malformed('a request whose members are not those of one')
  }
  return { method, path, body, headers: headers as Record<string, string>, signatures }
}

function readQuantities(
  filled: Members,
  place: string,
): Partial<Record<(typeof FILLED)[number], bigint>> {
  const read: Partial<Record<(typeof FILLED)[number], bigint>> = {}
  for (const name of FILLED) {
    const text = filled[name]
    if (text === undefined) continue
    if (typeof text !== 'string') throw malformed(`${place}.${name} is not a quantity`)
    try {
      read[name] = parseQuantity(text)
    } catch {
      throw malformed(`${place}.${name} is not a quantity`)
    }
  }
  return read
}

function readKnown(known: unknown): KnownTransaction {
  if (!isMembers(known)) throw malformed('known is not an object')
  return { ...readQuantities(known, 'known'), isLast: known.isLast === true }
}

function readFilled(filled: unknown): FilledTransaction {
  if (!isMembers(filled)) throw malformed('filled is not an object')
  const read = readQuantities(filled, 'filled')
  const { chainId, nonce, gas } = read
  if (chainId === undefined || nonce === undefined || gas === undefined) {
    throw malformed('filled lacks chain, nonce or gas')
  }
  const simulation =
    filled.simulation === undefined ? {} : { simulation: readSimulation(filled.simulation) }
  return { ...read, chainId, nonce, gas, ...simulation }
}

/** Returns the value of a response. @throws WalletError if it is an error */
export function readAnswer(answer: SignerResponse): unknown {
  if (!('error' in answer)) return answer.value
  const { code, message, details } = answer.error
  throw new WalletError(isWalletErrorCode(code) ? code : 'internal_error', message, details)
}

/** Returns the answer of `sign` as JSON. */
export function signAnswerJson({ signed, decision }: SignAnswer): unknown {
  const charges = decision.charges.map(({ window, amount }) => ({
    window,
    amount: `0x${amount.toString(16)}`,
  }))
  const plain =
    signed.kind === 'authorization'
      ? { ...signed, chainId: quantity(signed.chainId), nonce: quantity(signed.nonce) }
      : signed
  return { signed: plain, decision: { ...decision, charges } }
}

/** Inverse of `signAnswerJson`. The signer is trusted to send this form. */
export function readSignAnswer(value: unknown): SignAnswer {
  const { signed, decision } = value as {
    signed: Record<string, unknown>
    decision: SignAnswer['decision'] & { charges: { window: string; amount: string }[] }
  }
  const charges = decision.charges.map(({ window, amount }) => ({ window, amount: BigInt(amount) }))
  const read =
    signed.kind === 'authorization'
      ? {
          ...signed,
          chainId: BigInt(signed.chainId as string),
          nonce: BigInt(signed.nonce as string),
        }
      : signed
  return { signed: read as SignAnswer['signed'], decision: { ...decision, charges } }
}

function quantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Ids of apps and requests are stored and compared: they are not empty, bounded, and unchanged by storing them. */
function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 256) return false
  return isStorableText(value)
}

function isMethod(value: unknown): value is SignedRequest['method'] {
  return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(value as string)
}

function malformed(message: string): WalletError {
  return new WalletError('invalid_data', message)
}
