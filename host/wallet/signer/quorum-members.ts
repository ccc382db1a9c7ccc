import { createPublicKey, type KeyObject } from 'node:crypto'
import type { KeyQuorum } from '../protocol/wallet.ts'
import { invalid } from './body.ts'

/** A key that may agree to something. */
export interface MemberKey {
  /** base64 of SPKI DER, as it is kept: the same key is the same text. */
  readonly publicKey: string
  readonly verifier: KeyObject
}

/** A quorum with its keys read, and with the quorums in it. */
export interface QuorumMembers {
  readonly id: string
  readonly threshold: number
  readonly keys: readonly MemberKey[]
  /** Of one level: these have none themselves. */
  readonly quorums: readonly QuorumMembers[]
}

/** @throws WalletError invalid_data where the text is no public key of P-256 */
export function readPublicKey(text: string): MemberKey {
  let verifier: KeyObject
  try {
    const bytes = Buffer.from(pemBody(text), 'base64')
    verifier = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  } catch {
    throw invalid('a public key is no base64 of SPKI DER: give that of a P-256 key')
  }
  if (
    verifier.asymmetricKeyType !== 'ec' ||
    verifier.asymmetricKeyDetails?.namedCurve !== 'prime256v1'
  ) {
    throw invalid('a public key is not of the curve P-256')
  }
  // By its coordinates, so that one key has one text: a point may be written compressed too.
  const named = createPublicKey({ key: verifier.export({ format: 'jwk' }), format: 'jwk' })
  const publicKey = named.export({ format: 'der', type: 'spki' }).toString('base64')
  return { publicKey, verifier: named }
}

function pemBody(text: string): string {
  return text.replace(/-----(BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s+/g, '')
}

export function membersOf(
  quorum: KeyQuorum,
  nested: (id: string) => KeyQuorum | undefined,
): QuorumMembers {
  return {
    id: quorum.id,
    threshold: quorum.authorization_threshold,
    keys: quorum.authorization_keys.map(({ public_key: key }) => readPublicKey(key)),
    quorums: quorum.key_quorum_ids.flatMap((id) => {
      const inner = nested(id)
      return inner === undefined ? [] : [membersOf(inner, () => undefined)]
    }),
  }
}

/** Every key that can agree, each once. */
export function keysOf(members: QuorumMembers): readonly MemberKey[] {
  const keys = new Map(members.keys.map((key) => [key.publicKey, key]))
  for (const quorum of members.quorums) {
    for (const key of keysOf(quorum)) keys.set(key.publicKey, key)
  }
  return [...keys.values()]
}

/**
 * How many agree: keys that are members, and quorums in it whose own number is reached. Who is in several places
 * agrees in one of them.
 */
function approvalsIn(members: QuorumMembers, keys: ReadonlySet<string>): number {
  const free = new Set(keys)
  let approvals = members.keys.filter(({ publicKey }) => free.delete(publicKey)).length
  for (const quorum of members.quorums) {
    if (!agrees(quorum, free)) continue
    approvals++
    for (const { publicKey } of quorum.keys) free.delete(publicKey)
  }
  return approvals
}

export function agrees(members: QuorumMembers, keys: ReadonlySet<string>): boolean {
  return approvalsIn(members, keys) >= members.threshold
}
