import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { redactText } from '../../../../host/base/log/redact-text.ts'

/** Lines as in logs, configurations and shells. «» surround the parts that must be hidden. */
const CORPUS: { readonly hidden: readonly string[]; readonly kept: readonly string[] } = JSON.parse(
  readFileSync(new URL('./redaction-corpus.json', import.meta.url), 'utf8'),
)

const MARKED = /«([^»]*)»/g

/** Returns the parts of a secret that would reveal it. */
function partsOf(secret: string): readonly string[] {
  return [secret, ...secret.split(/[^\w+/=.-]+/).filter((part) => part.length >= 6)]
}

describe('the redaction of the corpus', () => {
  test.each(CORPUS.hidden)('hides the marked parts of %s', (line) => {
    const secrets = [...line.matchAll(MARKED)].map(([, secret]) => secret as string)
    const around = line.replace(MARKED, '')
    const shown = redactText(line.replace(MARKED, '$1'))
    expect(secrets.length).toBeGreaterThan(0)
    expect(shown).toContain('[redacted]')
    const told = secrets.flatMap(partsOf).filter((part) => !around.includes(part))
    expect(told.filter((part) => shown.includes(part))).toEqual([])
  })

  test.each(CORPUS.kept)('leaves %s unchanged', (line) => expect(redactText(line)).toBe(line))

  test('hides the same parts within JSON, which stays valid', () => {
    const lines = CORPUS.hidden.map((line) => line.replace(MARKED, '$1'))
    for (const line of [...lines, ...CORPUS.kept]) {
      const shown = redactText(JSON.stringify({ message: line, height: 7 }))
      expect(JSON.parse(shown)).toMatchObject({ height: 7 })
    }
  })
})

test('known secrets are hidden everywhere unless they are too short', () => {
  expect(redactText('a=correcthorse b=horse', ['correcthorse', 'horse'])).toBe(
    'a=[redacted] b=horse',
  )
})

test('redacting a redacted text changes nothing', () => {
  for (const line of CORPUS.hidden) {
    const shown = redactText(line.replace(MARKED, '$1'))
    expect(redactText(shown)).toBe(shown)
  }
})
