const HIDDEN = '[redacted]'

/**
 * Forms in which secrets stand in text that nobody has taken apart, with what is left of them. Each repetition in front
 * of what decides is bounded: a log quotes what strangers send.
 */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // PEM, whether its end is there or not
  [
    /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w+/=\s\\:,.]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
    HIDDEN,
  ],
  // User and password of an address
  [/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@"'<>]{1,512}@/gi, `$1${HIDDEN}@`],
  // Values of queries whose names say so
  [
    /([?&](?:[\w-]{0,40}(?:key|token|secret|password|passwd|auth|signature|sig))=)[^&\s"'#<>]+/gi,
    `$1${HIDDEN}`,
  ],
  // Keys that providers of RPC take in the path: a segment of 32 and more letters and digits
  [
    /(\b(?:https?|wss?):\/\/[^\s"'<>]{0,200}?\/)[A-Za-z0-9_-]{32,512}(?=[/?\s"'<>]|$)/g,
    `$1${HIDDEN}`,
  ],
  // Tokens of JWT, and what an Authorization header carries
  [/\beyJ[\w-]{10,}(?:\.[\w-]*){0,2}/g, HIDDEN],
  [/\b(bearer|basic)\s+[\w+/=.~-]{6,}/gi, `$1 ${HIDDEN}`],
  // The private half of a key file of CometBFT, on one line or several
  [/("?priv_key"?\s*:\s*\{[^}]{0,400}?"?value"?\s*:\s*\\?")[^"\\]+/gi, `$1${HIDDEN}`],
  // An account as a developer's chain prints it: address and private key
  [/(0x[0-9a-fA-F]{40}\s+)0x[0-9a-fA-F]{64}\b/g, `$1${HIDDEN}`],
  // Twelve words and more after their name
  [
    /(\b(?:mnemonic|seed phrase)\s*[:=]?\s*)(?:[a-z]{3,8}[ \t]+){11,23}[a-z]{3,8}\b/gi,
    `$1${HIDDEN}`,
  ],
]

/** Fields by their names: JSON, TOML and key=value, with or without quotes. */
const FIELD =
  /((?:\\?["'])?\b(?:[\w-]{0,40}?(?:priv(?:ate)?[-_]?key|secret[-_]?key|app[-_]?secret|client[-_]?secret|secret|password|passwd|passphrase|mnemonic|api[-_]?key|access[-_]?token|auth[-_]?token|bearer[-_]?token|jwt|authorization|cookie))(?:\\?["'])?\s*[:=]\s*)(?!\s*\{|\s*\[redacted\])(\\?"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,;}\]"']+)/gi

/**
 * Text in which secrets are replaced: those given, wherever they stand, and what has one of the forms in which
 * keys, passwords and tokens are written.
 * @param known secrets as they may stand in text, such as the base64 of a key
 */
export function redactText(text: string, known: readonly string[] = []): string {
  let shown = text
  for (const secret of known) if (secret.length >= 8) shown = shown.replaceAll(secret, HIDDEN)
  for (const [form, left] of FORMS) shown = shown.replace(form, left)
  return shown.replace(FIELD, (_, name: string, value: string) => {
    // What is quoted stays so: JSON stays JSON.
    const quote = /^\\?["']/.exec(value)?.[0] ?? ''
    return `${name}${quote}${HIDDEN}${quote}`
  })
}
