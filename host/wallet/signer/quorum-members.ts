import { createPublicKey, type KeyObject } from 'node:crypto'
import type { ApiKeyQuorum } from '../protocol/wallet.ts'
import { invalidBody } from './body.ts'

/** A key that may authorize something. */
export interface MemberKey {
  /** SPKI DER in base64, in the stored form: equal keys have equal texts. */
  readonly publicKey: string
  readonly verifier: KeyObject
}

/** A quorum with its keys parsed, and its nested quorums. */
export interface QuorumMembers {
  readonly id: string
  readonly threshold: number
  readonly keys: readonly MemberKey[]
  /** One level only: nested quorums have none themselves. */
  readonly quorums: readonly QuorumMembers[]
}

/** @throws WalletError invalid_data if the text is not a P-256 public key */
export function readMemberKey(text: string): MemberKey {
  let verifier: KeyObject
  try {
    const bytes = Buffer.from(pemBody(text), 'base64')
    verifier = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  } catch {
    throw invalidBody('a public key is not base64 of SPKI DER: give that of a P-256 key')
  }
  if (
    verifier.asymmetricKeyType !== 'ec' ||
    verifier.asymmetricKeyDetails?.namedCurve !== 'prime256v1'
  ) {
    throw invalidBody('a public key is not of the curve P-256')
  }
  // Normalized by its coordinates, since a point can also be compressed: one key, one text.
  const named = createPublicKey({ key: verifier.export({ format: 'jwk' }), format: 'jwk' })
  const publicKey = named.export({ format: 'der', type: 'spki' }).toString('base64')
  return { publicKey, verifier: named }
}

function pemBody(text: string): string {
  return text.replace(/-----(BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s+/g, '')
}

export function membersOf(
  quorum: ApiKeyQuorum,
  nested: (id: string) => ApiKeyQuorum | undefined,
): QuorumMembers {
  return {
    id: quorum.id,
    threshold: quorum.authorization_threshold,
    keys: quorum.authorization_keys.map(({ public_key: key }) => readMemberKey(key)),
    quorums: quorum.key_quorum_ids.flatMap((id) => {
      const inner = nested(id)
      return inner === undefined ? [] : [membersOf(inner, () => undefined)]
    }),
  }
}

/** Returns every key that can agree, without duplicates. */
export function keysOf(members: QuorumMembers): readonly MemberKey[] {
  const keys = new Map(members.keys.map((key) => [key.publicKey, key]))
  for (const quorum of members.quorums) {
    for (const key of keysOf(quorum)) keys.set(key.publicKey, key)
  }
  return [...keys.values()]
}

/**
 * Returns the number of approvals: by member keys, and by nested quorums that reach their threshold. A key in several
 * places counts once.
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
