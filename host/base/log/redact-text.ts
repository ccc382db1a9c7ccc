import { wordlist } from '@scure/bip39/wordlists/english.js'
import { VENDOR_TOKENS } from './vendor-tokens.ts'

const HIDDEN = '[redacted]'

/** Separator between a name and its value: JSON, TOML, YAML, key=value, a header, with or without quotes. */
const ASSIGN = String.raw`(?:\\?["'])?\s{0,8}[:=]\s{0,8}`

/** A quoted value; the quotes are escaped inside of other quotes. */
const QUOTED = String.raw`\\"(?:[^"\\\n]|\\[^"\n])*\\"|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`

/** A value: quoted, or up to a space, a quote or a bracket. */
const VALUE = String.raw`(${QUOTED}|(?:[^\s,;}\]"'\\]|\\(?!["'n]))+)`

/** Names whose values are secrets, whatever they are. */
const SECRET_NAME =
  '(?:(?:priv(?:ate)?|secret|signing|encryption|access|account|api|auth)[-_]?key|secret|passw(?:or)?d|pwd|passphrase|' +
  'mnemonic|seed[-_]?phrase|(?:access|auth|bearer|refresh|session|security)[-_]?token|jwt|authorization|cookie)'

/**
 * Names whose values are secrets only if they look like it: an amount, an address or a file may have such a name too.
 */
const DOUBTFUL_NAME =
  '(?:token|credentials?|session(?:[-_]?id)?|seed|entropy|(?<!pub)(?<!public[-_]?)key)'

/** 32 or more hex digits, or letters and digits that are not a word, an address or a path. */
const KEY_LIKE =
  /^(?:(?!0x[0-9a-f]{40}$)(?:0x)?[0-9a-f]{32,}|(?=[^\s]{0,200}\d)(?=[^\s]{0,200}[a-z])[\w+/=.~-]{20,})$/i

/** For doubtful names only: a short token with digits among its letters is a secret too. */
const TOKEN_LIKE = /^(?!0x[0-9a-f]{40}$)(?=.{0,40}\d)(?=.{0,40}[a-z])[\w+/=.~-]{8,}$/i

/**
 * Separator between a command-line option and its value: a space, an equals sign, or the next element of a JSON
 * array.
 */
const BEHIND_OPTION = String.raw`(?:\s+|=|\\?["'],\s{0,8})`

/**
 * Forms of secrets in unparsed text, with their replacements. Each repetition before the deciding part is bounded,
 * because a log quotes untrusted input.
 */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // PEM, even without its end
  [
    /-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----[\w+/=\s\\:,.]*(?:-----END [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----)?/g,
    HIDDEN,
  ],
  // User and password of a URL
  [/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@"'<>]{1,512}@/gi, `$1${HIDDEN}@`],
  // Query parameters with the name of a secret
  [
    /([?&](?:[\w-]{0,40}(?:key|token|secret|password|passwd|pwd|auth|signature|sig|credential|session|jwt|project_?id))=)[^&\s"'#<>]+/gi,
    `$1${HIDDEN}`,
  ],
  // Keys that RPC and messaging providers take in the path. Hashes start with 0x.
  [
    /(\b(?:https?|wss?):\/\/[^\s"'<>]{0,200}?\/)(?!0x[0-9a-f]{40})[A-Za-z0-9_-]{32,512}(?=[/?\s"'<>]|$)/gi,
    `$1${HIDDEN}`,
  ],
  [/(\bhooks\.slack\.com\/(?:services|workflows)\/)[\w/]+/g, `$1${HIDDEN}`],
  ...VENDOR_TOKENS.map((form) => [form, HIDDEN] as const),
  // JWTs, and the value of an Authorization header
  [/\beyJ[\w-]{10,}(?:\.[\w-]*){0,2}/g, HIDDEN],
  [/\b(bearer|basic)\s+[\w+/=.~-]{6,}/gi, `$1 ${HIDDEN}`],
  // Headers of more than one word
  [
    /(\b(?:(?:proxy-)?authorization|(?:set-)?cookie)(?:\\?["'])?\s{0,8}[:=]\s{0,8}(?:\\?["'])?)(?!\s*\[redacted\])[^"'\\\r\n]+/gi,
    `$1${HIDDEN}`,
  ],
  // User and password as curl options
  [/(\s(?:-u|--user|--proxy-user)(?:\s+|=)["']?)[^\s:"']{1,200}:[^\s"']+/g, `$1${HIDDEN}`],
  // The private key in a key file of CometBFT, on one line or several
  [/("?priv_key"?\s*:\s*\{[^}]{0,400}?"?value"?\s*:\s*\\?")[^"\\]+/gi, `$1${HIDDEN}`],
  // An account as a development chain prints it: address and private key
  [/(0x[0-9a-fA-F]{40}\s+)0x[0-9a-fA-F]{64}\b/g, `$1${HIDDEN}`],
  // A key in a sentence
  [
    /(\b(?:(?:private|secret|signing|master|encryption)[ _-]key|seed|entropy)(?:\s+(?:is|was|of))?\s+["']?)(?:0x)?[0-9a-f]{64}\b/gi,
    `$1${HIDDEN}`,
  ],
]

/** Commands, which may contain any secret: hidden to the end of the quotes, of the line or of the JSON around it. */
const COMMAND = new RegExp(
  String.raw`((?:\\?["'])?\b[\w.-]{0,60}?(?:[-_]command|[a-z]Command)(?:${ASSIGN}|\\?["'],\s{0,8}|\s{1,8}(?=["'])))(${QUOTED}|[^\s"'{[\\][^\n]*?(?=\\?"\s{0,8}[,}\]]|\n|$))`,
  'g',
)

const FIELD = new RegExp(
  String.raw`((?:\\?["'])?\b(?:[\w.-]{0,60}?${SECRET_NAME})${ASSIGN})(?!\s*[{[])${VALUE}`,
  'gi',
)

const DOUBTFUL_FIELD = new RegExp(
  String.raw`((?:\\?["'])?\b(?:[\w.-]{0,60}?${DOUBTFUL_NAME})${ASSIGN})(?!\s*[{[])${VALUE}`,
  'gi',
)

const OPTION = new RegExp(
  String.raw`((?<![\w-])--?[\w.-]{0,60}?(?:${SECRET_NAME}|token|seed)${BEHIND_OPTION})(?!-)${VALUE}`,
  'gi',
)

/** Words of a mnemonic and their separators. */
const WORDS: readonly RegExp[] = [
  /\b[a-z]{3,8}(?:[ \t]{1,4}[a-z]{3,8}){11,}\b/g,
  /\b[a-z]{3,8}(?:\\?["']?,\s{0,4}\\?["']?[a-z]{3,8}){11,}\b/g,
]
const LEAST_WORDS = 12
const KNOWN_WORDS: ReadonlySet<string> = new Set(wordlist)

/**
 * Returns the text with secrets replaced: those given, and those in a known form of keys, passwords and tokens.
 * @param known secrets as they may appear in text, such as the base64 of a key
 */
export function redactText(text: string, known: readonly string[] = []): string {
  let shown = text
  for (const secret of known) if (secret.length >= 8) shown = shown.replaceAll(secret, HIDDEN)
  for (const [form, left] of FORMS) shown = shown.replace(form, left)
  for (const words of WORDS) shown = shown.replace(words, hideMnemonics)
  return shown
    .replace(COMMAND, hideValue)
    .replace(OPTION, hideValue)
    .replace(FIELD, hideValue)
    .replace(DOUBTFUL_FIELD, (whole: string, name: string, value: string) => {
      const bare = value.replace(/^\\?["']|\\?["']$/g, '')
      const isKey = /key(?:\\?["'])?\s*[:=]\s*$/i.test(name)
      const looksSecret = isKey ? KEY_LIKE.test(bare) : TOKEN_LIKE.test(bare)
      return looksSecret ? hideValue(whole, name, value) : whole
    })
}

/** A quoted value stays quoted, so JSON stays valid. */
function hideValue(whole: string, name: string, value: string): string {
  if (/^(?:\\?["'])?\[redacted/.test(value)) return whole
  const quote = /^\\?["']/.exec(value)?.[0] ?? ''
  return `${name}${quote}${HIDDEN}${quote}`
}

/** Hides twelve or more consecutive BIP-39 words. */
function hideMnemonics(text: string): string {
  const words = [...text.matchAll(/[a-z]+/g)]
  let hidden = ''
  let from = 0
  let first = 0
  for (let i = 0; i <= words.length; i++) {
    const word = words[i]
    if (word !== undefined && KNOWN_WORDS.has(word[0])) continue
    const last = words[i - 1]
    const begin = words[first]
    if (i - first >= LEAST_WORDS && begin !== undefined && last !== undefined) {
      hidden += text.slice(from, begin.index) + HIDDEN
      from = last.index + last[0].length
    }
    first = i + 1
  }
  return hidden + text.slice(from)
}
