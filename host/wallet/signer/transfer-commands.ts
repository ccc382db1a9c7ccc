import { equalBytes } from '../../base/bytes.ts'
import { hexDigits } from '../../base/hex.ts'
import type { ApiWallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { encryptTo } from '../vault/hpke.ts'
import { ownerAuthority } from './authority.ts'
import { invalidBody, readAddress, readObjectMember, readTextMember } from './body.ts'
import { decide } from './decide.ts'
import { DeferredAnswer } from './deferred-answer.ts'
import { addressOfSecret, publicKeyOf } from './key-signer.ts'
import { readMemberKey } from './quorum-members.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import { keepWallet, readWallet, requireWalletOf } from './wallet-commands.ts'

/** Exports a key, encrypted to a key of the caller, if the owner authorizes it and the policies allow it. */
export function exportWallet(parts: SignerParts, command: Command): DeferredAnswer {
  const { appId, read, now } = command
  const stored = requireWalletOf(parts.store, appId, read.id)
  const { wallet } = stored
  const authority = ownerAuthority(parts.store, read, wallet.owner_id)
  const recipient = readMemberKey(
    readTextMember(read.body.recipient_public_key, 'recipient_public_key', 8192),
  )
  const decision = decide(parts, command, stored, wallet.policy_ids, {
    action: { method: 'exportPrivateKey' },
    slot: 'export',
  })
  const details = {
    by: authority.by,
    quorum: authority.quorumId,
    recipient: recipient.publicKey,
    reason: decision.reason,
  }
  if (!decision.allowed) {
    parts.audit({ kind: 'wallet.export_refused', appId, subject: wallet.id, details })
    const { reason, rules } = decision
    throw new WalletError('policy_violation', undefined, { reason, rules })
  }
  parts.store.updateWallet({ ...wallet, exported_at: now })
  parts.audit({ kind: 'wallet.exported', appId, subject: wallet.id, details })
  const owner = { walletId: wallet.id, address: stored.address }
  // Clients expect the key as hex text. It is zeroed right after encryption.
  const text = parts.vault.open(stored.key, owner, (secret) => hexText(secret))
  return new DeferredAnswer(async () => {
    try {
      const { encapsulatedKey, ciphertext } = await encryptTo(recipient.publicKey, text)
      const answer = { encryption_type: 'HPKE', encapsulated_key: encapsulatedKey, ciphertext }
      return () => answer
    } finally {
      text.fill(0)
    }
  })
}

/** Returns hex as bytes: a string could not be zeroed. */
function hexText(secret: Uint8Array): Uint8Array {
  const text = new Uint8Array(secret.length * 2)
  const digit = (value: number) => (value < 10 ? 0x30 + value : 0x57 + value)
  for (const [at, byte] of secret.entries()) {
    text[at * 2] = digit(byte >> 4)
    text[at * 2 + 1] = digit(byte & 15)
  }
  return text
}

export function beginImport(parts: SignerParts, { appId, read, now }: Command): DeferredAnswer {
  const address = hexDigits(readAddress(read.body.address, 'address'))
  return new DeferredAnswer(async () => {
    const { id, publicKey } = await parts.imports.create(appId, address, now)
    const answer = { encryption_type: 'HPKE', encryption_public_key: publicKey, import_id: id }
    return () => answer
  })
}

/** Creates a wallet from a key that was encrypted to the signer. */
export function submitImport(parts: SignerParts, { appId, read, now }: Command): DeferredAnswer {
  const sent = readObjectMember(read.body.wallet, 'wallet')
  const address = readAddress(sent.address, 'wallet.address')
  const asked =
    sent.import_id === undefined ? undefined : readTextMember(sent.import_id, 'import_id')
  const { id, key } = parts.imports.find(appId, hexDigits(address), asked, now)
  const message = {
    encapsulatedKey: readTextMember(sent.encapsulated_key, 'wallet.encapsulated_key', 8192),
    ciphertext: readTextMember(sent.ciphertext, 'wallet.ciphertext', 8192),
  }
  return new DeferredAnswer(async () => {
    const secret = await key.open(message)
    return (): ApiWallet => {
      try {
        if (publicKeyOf(secret) === undefined || !equalBytes(addressOfSecret(secret), address)) {
          throw invalidBody(`the private key does not have the address 0x${hexDigits(address)}`)
        }
        const wallet = keepWallet(
          parts,
          appId,
          readWallet(parts.store, appId, read.body, now),
          secret,
          now,
          { importedAt: now },
        )
        parts.imports.delete(id)
        return wallet
      } finally {
        secret.fill(0)
      }
    }
  })
}
