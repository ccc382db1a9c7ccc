import { createHash } from 'node:crypto'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { requireReach } from '../protocol/agent.ts'
import type { SignedRequest } from '../protocol/authorization.ts'
import { type RouteName, WALLET_ROUTES } from '../protocol/route-table.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { GrantedAuthority } from './authority.ts'
import { readRequest } from './authorized-request.ts'
import { DeferredAnswer } from './deferred-answer.ts'
import { type SignerQuestion, signAnswerJson } from './message.ts'
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
import { precheckSignature, sign, signatureAuthority } from './sign-command.ts'
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

/** The handler of a route. */
type Handler =
  /** Read-only, or safe to repeat. */
  | {
      readonly read: (parts: SignerParts, command: Command) => unknown
      readonly authority?: Agreed
    }
  /** Changes something: once for a request. */
  | {
      readonly change: (parts: SignerParts, command: Command) => unknown
      readonly authority?: Agreed
    }

/** Returns the authority of a request, or throws. */
type Agreed = (parts: SignerParts, command: Command) => GrantedAuthority

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

/** Routes that return a signature and are called through `sign`. */
const SIGNED: readonly RouteName[] = ['walletRpc', 'rawSign', 'replaceTransaction']

/** Answers requests one after the other, within a database transaction of the caller. */
export class Signer {
  readonly #parts: SignerParts
  readonly #clock: () => number

  /** @param clock milliseconds since 1970 */
  constructor(parts: SignerParts, clock: () => number = Date.now) {
    this.#parts = parts
    this.#clock = clock
  }

  /**
   * Returns a value, or a `Deferred` to wait for.
   * @throws WalletError if the request is rejected; commit even then, as the rejection may have been logged
   */
  answer(question: SignerQuestion): unknown {
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
      throw new WalletError('unauthorized', 'the agent belongs to another app')
    }
    // An agent changes nothing, so that there is no answer to repeat.
    const isChange = request.method !== 'GET' && kind === 'ask' && agent === undefined
    const hash = isChange ? requestHash(request) : undefined
    const earlier = hash === undefined ? undefined : parts.log.answer(appId, requestId)
    if (hash !== undefined && earlier !== undefined) {
      if (equalBytes(earlier.request, hash)) return earlier.answer
      throw new WalletError(
        'invalid_data',
        `the request id ${requestId} belongs to another request`,
      )
    }
    const names = agent === undefined ? [appId] : [appId, agent.agentId]
    const read = readRequest(names, request, parts.authorization, now)
    if (read.expiry !== undefined && parts.log.isDropped(read.expiry)) {
      throw new WalletError(
        'request_expired',
        'the clock was set back: requests with this expiry may have been used already; sign one that expires later',
      )
    }
    if (agent !== undefined) requireReach(agent, WALLET_ROUTES[read.name], read.ids)
    const command: Command = { appId, requestId, agent, request, read, filled, now }
    if (kind === 'authorize') {
      authorize(parts, command)
      return null
    }
    if (SIGNED.includes(read.name)) {
      if (kind === 'foresee') return precheckSignature(parts, command, known ?? {})
      if (kind !== 'sign') throw new WalletError('invalid_data', 'the request must be sent as sign')
      return signAnswerJson(sign(parts, command))
    }
    const handler = kind === 'ask' ? HANDLERS[read.name] : undefined
    if (handler === undefined) {
      throw new WalletError('not_found', `the signer does not handle ${read.name}`)
    }
    if ('read' in handler) return handler.read(parts, command)
    return whenDone(this.#change(command, handler.change, handler.authority), (answer) => {
      if (hash !== undefined) parts.log.addAnswer(appId, requestId, hash, now, answer)
    })
  }

  /** Executes a change. A repeated signed request with an expiry is not executed again, but gets the earlier answer. */
  #change(
    command: Command,
    change: (parts: SignerParts, command: Command) => unknown,
    authority?: (parts: SignerParts, command: Command) => GrantedAuthority,
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

/** @throws WalletError if a required authorization is missing */
function authorize(parts: SignerParts, command: Command): void {
  const { name } = command.read
  const agreed = SIGNED.includes(name) ? signatureAuthority : HANDLERS[name]?.authority
  agreed?.(parts, command)
}

/** Records an answer within the transaction that returns it. */
function whenDone(answer: unknown, write: (answer: unknown) => void): unknown {
  if (!(answer instanceof DeferredAnswer)) {
    write(answer)
    return answer
  }
  return new DeferredAnswer(async () => {
    const end = await answer.work()
    return () => {
      const ended = end()
      write(ended)
      return ended
    }
  })
}

/** Converts errors of the policy parser, which are LockstepErrors. */
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
