import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { APP_SECRET_VARIABLE, PASSPHRASE_VARIABLE } from '../../base/config/environment.ts'
import { lookup } from '../../base/lookup.ts'
import { passwordIn } from '../../base/postgres-url.ts'
import type { HomeFacts } from './home-facts.ts'

/** Bytes of the seed that an ed25519 key begins with. */
const SEED_BYTES = 32

/** Minimum characters of a PEM line that contains key material. */
const LEAST_PEM_LINE = 16

const HEX_KEY = /^(?:0x)?([0-9a-f]{64})$/i

function formsOf(bytes: Uint8Array): readonly string[] {
  const buffer = Buffer.from(bytes)
  const hex = buffer.toString('hex')
  const base64 = buffer.toString('base64')
  const url = buffer.toString('base64url')
  return [base64, base64.replace(/=+$/, ''), url, hex, hex.toUpperCase()]
}

/** Returns a CometBFT key, whole and as its seed. */
function consensusKey(text: string): readonly string[] {
  const key = Buffer.from(JSON.parse(text).priv_key.value, 'base64')
  return [key, key.subarray(0, SEED_BYTES)].flatMap(formsOf)
}

/** Returns the secret in the first line of a file: a passphrase, or a key in hex. */
function firstLine(text: string): readonly string[] {
  const [line = ''] = text.split('\n')
  const secret = line.trim()
  const [, digits] = HEX_KEY.exec(secret) ?? []
  return digits === undefined ? [secret] : [secret, ...formsOf(Buffer.from(digits, 'hex'))]
}

/** Returns an account's key in hex, or the cipher text of a keystore, which is a secret if the passphrase is weak. */
function accountKey(text: string): readonly string[] {
  if (!text.trimStart().startsWith('{')) return firstLine(text)
  const { crypto, Crypto = crypto } = JSON.parse(text)
  return [Crypto.ciphertext]
}

function pemLines(text: string): readonly string[] {
  return text.split(/\s+/).filter((line) => line.length >= LEAST_PEM_LINE)
}

function tokenLines(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim())
}

/** Returns a database's URL, and the password in it. */
function urlSecrets(url: string): readonly string[] {
  const password = passwordIn(url) ?? ''
  return [url, password]
}

/** Finds URLs of databases in the text of a configuration, which may not parse. */
function urlsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/postgres(?:ql)?:\/\/[^"'\s]+/g), ([url]) =>
    urlSecrets(url),
  ).flat()
}

/** Finds commands in the text of a configuration, which may not parse; its settings are then the defaults. */
function commandsIn(text: string): readonly string[] {
  const lines = text.matchAll(/^\s*[\w-]+-command\s*=\s*(?:"(.*)"|'(.*)')\s*(?:#.*)?$/gm)
  return Array.from(lines, ([, basic, literal]) => basic ?? literal ?? '')
}

/** Returns the secrets in a file; none if it is unreadable. */
function secretsIn(path: string, read: (text: string) => readonly string[]): readonly string[] {
  try {
    return read(readFileSync(path, 'utf8'))
  } catch {
    return []
  }
}

/**
 * Returns a home's secrets in every form that may appear in a text: keys of the node, its wallets, its settler and
 * its TLS servers, commands that fetch a secret, and secrets in the environment.
 */
export function secretsOf({ home, inspected }: Pick<HomeFacts, 'home' | 'inspected'>): string[] {
  const { config, settings } = inspected
  const { wallets, payments } = config
  const at = (path: string) => resolve(home.root, path)
  const files: readonly (readonly [string, (text: string) => readonly string[]])[] = [
    [home.config.validatorKey, consensusKey],
    [home.config.nodeKey, consensusKey],
    [at(wallets.masterKeyFile), firstLine],
    [at(`${wallets.masterKeyFile}.next`), firstLine],
    [at(wallets.passphraseFile), firstLine],
    [at(payments.settlerKey), accountKey],
    [at(payments.facilitatorTokens), tokenLines],
    [at(wallets.tlsKey), pemLines],
    [at(payments.tlsKey), pemLines],
  ]
  const commands = settings.filter(({ entry }) => isCommand(entry.flag))
  const inEnvironment = [PASSPHRASE_VARIABLE, APP_SECRET_VARIABLE].map(
    (name) => lookup(process.env, name) ?? '',
  )
  const all = [
    ...files.flatMap(([path, read]) => secretsIn(path, read)),
    ...commands.map(({ value }) => String(value)),
    ...settings
      .filter(({ entry }) => entry.isSecret === true)
      .flatMap(({ value }) => urlSecrets(String(value))),
    ...[home.config.app, home.config.consensus].flatMap((path) => [
      ...secretsIn(path, commandsIn),
      ...secretsIn(path, urlsIn),
    ]),
    ...inEnvironment,
  ]
  // Longest first: one may contain another
  return all.filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
}

/** Returns whether a setting is a command, which may contain any secret. */
export function isCommand(flag: string): boolean {
  return flag.endsWith('-command')
}
