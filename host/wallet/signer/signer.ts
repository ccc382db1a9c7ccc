import { createHash } from 'node:crypto'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { requireReach } from '../protocol/agent.ts'
import type { SignedRequest } from '../protocol/authorization.ts'
import { ROUTES, type RouteName } from '../protocol/route-table.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Authority } from './authority.ts'
import { readRequest } from './authorized-request.ts'
import { Deferred } from './deferred.ts'
import { type Question, signAnswerJson } from './message.ts'
import {
  createPolicy,
  createRule,
  deletePolicy,
  deleteRule,
  getPolicy,
  getRule,
  listPolicies,
  policyAuthority,
  updatePolicy,
  updateRule,
} from './policy-commands.ts'
import {
  createQuorum,
  deleteQuorum,
  getQuorum,
  listQuorums,
  quorumAuthority,
  updateQuorum,
} from './quorum-commands.ts'
import { foresee, sign, signatureAuthority } from './sign-command.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import { beginImport, exportWallet, submitImport } from './transfer-commands.ts'
import {
  archiveWallet,
  createWallet,
  createWallets,
  findWallet,
  getWallet,
  listWallets,
  restoreWallet,
  updateAuthority,
  updateWallet,
  walletAuthority,
} from './wallet-commands.ts'

/** How a route is answered. */
type Handler =
  /** Changes nothing that could not be done again. */
  | {
      readonly read: (parts: SignerParts, command: Command) => unknown
      readonly authority?: Agreed
    }
  /** Changes something: once for a request. */
  | {
      readonly change: (parts: SignerParts, command: Command) => unknown
      readonly authority?: Agreed
    }

/** Says who has agreed to a request, or throws. */
type Agreed = (parts: SignerParts, command: Command) => Authority

const HANDLERS: Partial<Readonly<Record<RouteName, Handler>>> = {
  createWallet: { change: createWallet },
  createWallets: { change: createWallets },
  listWallets: { read: listWallets },
  findWallet: { read: findWallet },
  getWallet: { read: getWallet },
  updateWallet: { change: updateWallet, authority: updateAuthority },
  beginImport: { read: beginImport },
  submitImport: { change: submitImport },
  exportWallet: { read: exportWallet, authority: walletAuthority },
  archiveWallet: { change: archiveWallet, authority: walletAuthority },
  restoreWallet: { change: restoreWallet, authority: walletAuthority },
  createPolicy: { change: createPolicy },
  listPolicies: { read: listPolicies },
  getPolicy: { read: getPolicy },
  updatePolicy: { change: updatePolicy, authority: policyAuthority },
  deletePolicy: { change: deletePolicy, authority: policyAuthority },
  createRule: { change: createRule, authority: policyAuthority },
  getRule: { read: getRule },
  updateRule: { change: updateRule, authority: policyAuthority },
  deleteRule: { change: deleteRule, authority: policyAuthority },
  createKeyQuorum: { change: createQuorum },
  listKeyQuorums: { read: listQuorums },
  getKeyQuorum: { read: getQuorum },
  updateKeyQuorum: { change: updateQuorum, authority: quorumAuthority },
  deleteKeyQuorum: { change: deleteQuorum, authority: quorumAuthority },
}

/** What gives a signature, and is asked for by `sign`. */
const SIGNED: readonly RouteName[] = ['walletRpc', 'rawSign', 'replaceTransaction']

/** Decides about questions, one after the other, inside a transaction that the caller opens and commits. */
export class Signer {
  readonly #parts: SignerParts
  readonly #clock: () => number

  /** @param clock milliseconds since 1970 */
  constructor(parts: SignerParts, clock: () => number = Date.now) {
    this.#parts = parts
    this.#clock = clock
  }

  /**
   * A value, or what has to be waited for.
   * @throws WalletError where the question is refused; what was written of the refusal stays
   */
  answer(question: Question): unknown {
    const parts = this.#parts
    const now = this.#clock()
    if (question.kind === 'identify') {
      const { appId, walletId } = parts.agents.require(question.agent, now)
      return { appId, walletId }
    }
    const { kind, asked, filled, known } = question
    const { appId, requestId, request } = asked
    const agent = asked.agent && parts.agents.require(asked.agent, now)
    if (agent !== undefined && agent.appId !== appId) {
      throw new WalletError('unauthorized', 'the agent is of another app')
    }
    // An agent changes nothing, so there is no answer to a change that it could ask for again.
    const isChange = request.method !== 'GET' && kind === 'ask' && agent === undefined
    const hash = isChange ? requestHash(request) : undefined
    const earlier = hash === undefined ? undefined : parts.log.answer(appId, requestId)
    if (hash !== undefined && earlier !== undefined) {
      if (equalBytes(earlier.request, hash)) return earlier.answer
      throw new WalletError('invalid_data', `the request id ${requestId} is of another request`)
    }
    const names = agent === undefined ? [appId] : [appId, agent.agentId]
    const read = readRequest(names, request, parts.authorization, now)
    if (read.expiry !== undefined && parts.log.isDropped(read.expiry)) {
      throw new WalletError(
        'request_expired',
        'requests that expire then were dropped as expired before the clock was set back: sign one that expires later',
      )
    }
    if (agent !== undefined) requireReach(agent, ROUTES[read.name], read.ids)
    const command: Command = { appId, requestId, agent, request, read, filled, now }
    if (kind === 'authorize') {
      authorize(parts, command)
      return null
    }
    if (SIGNED.includes(read.name)) {
      if (kind === 'foresee') return foresee(parts, command, known ?? {})
      if (kind !== 'sign') throw new WalletError('invalid_data', 'such a request is signed')
      return signAnswerJson(sign(parts, command))
    }
    const handler = kind === 'ask' ? HANDLERS[read.name] : undefined
    if (handler === undefined) {
      throw new WalletError('not_found', `the signer does not answer ${read.name}`)
    }
    if ('read' in handler) return handler.read(parts, command)
    return whenDone(this.#change(command, handler.change, handler.authority), (answer) => {
      if (hash !== undefined) parts.log.addAnswer(appId, requestId, hash, now, answer)
    })
  }

  /** A signed request that expires changes something once: sent again, it is answered as before. */
  #change(
    command: Command,
    change: (parts: SignerParts, command: Command) => unknown,
    authority?: (parts: SignerParts, command: Command) => Authority,
  ): unknown {
    const parts = this.#parts
    const payload = authority?.(parts, command).payloadHash
    const { expiry, name } = command.read
    if (payload === undefined || expiry === undefined) return changed(() => change(parts, command))
    const used = parts.log.used(payload)
    if (used !== undefined) return used.answer
    const answer = changed(() => change(parts, command))
    parts.log.addUsed(payload, expiry, name, answer)
    return answer
  }
}

/** @throws WalletError if somebody has to agree to the request, and has not */
function authorize(parts: SignerParts, command: Command): void {
  const { name } = command.read
  const agreed = SIGNED.includes(name) ? signatureAuthority : HANDLERS[name]?.authority
  agreed?.(parts, command)
}

/** Writes down an answer in the transaction that gives it. */
function whenDone(answer: unknown, write: (answer: unknown) => void): unknown {
  if (!(answer instanceof Deferred)) {
    write(answer)
    return answer
  }
  return new Deferred(async () => {
    const end = await answer.work()
    return () => {
      const ended = end()
      write(ended)
      return ended
    }
  })
}

/** What reads rules throws as the rest of the host does. */
function changed(change: () => unknown): unknown {
  try {
    return change()
  } catch (error) {
    if (!(error instanceof LockstepError) || error.code !== 'INVALID_ARGUMENT') throw error
    throw new WalletError('invalid_data', `${error.message}: ${error.hint}`)
  }
}

function requestHash({ method, path, body, headers, signatures }: SignedRequest): Uint8Array {
  const text = JSON.stringify([method, path, body, headers, signatures])
  return createHash('sha256').update(text).digest()
}
