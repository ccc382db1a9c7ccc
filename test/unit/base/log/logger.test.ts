import { describe, expect, test } from 'vitest'
import type { LogLevel } from '../../../../host/base/log/logger.ts'
import { createLogger } from '../../../../host/base/log/pino-logger.ts'

function capture(format: 'plain' | 'json', level: LogLevel = 'trace') {
  const lines: string[] = []
  const logger = createLogger({ format, level, write: (line) => lines.push(line) })
  return { logger, lines }
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

describe('plain log lines', () => {
  test('have time, level, message and fields', () => {
    const { logger, lines } = capture('plain')
    logger.info('block acknowledged', { height: 7, took: 1.5, empty: false, note: 'two words' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      new RegExp(
        `^${TIME} INF block acknowledged height=7 took=1.5 empty=false note="two words"\n$`,
      ),
    )
  })

  test('name the five levels', () => {
    const { logger, lines } = capture('plain')
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) logger[level]('x')
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['TRC', 'DBG', 'INF', 'WRN', 'ERR'])
  })

  test('stay on one line whatever a value contains', () => {
    const { logger, lines } = capture('plain')
    logger.warn('peer said a\nb', { text: 'c\n2026 ERR d', 'bad key': 1 })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1)
    expect(lines[0]).toContain('WRN peer said a\\nb text="c\\n2026 ERR d"')
  })
})

describe('json log lines', () => {
  test('contain level, time, message and fields', () => {
    const { logger, lines } = capture('json')
    logger.error('failed', { height: 7 })
    const record = JSON.parse(lines[0] ?? '')
    expect(record.time).toMatch(new RegExp(`^${TIME}$`))
    expect(record).toEqual({ level: 'error', time: record.time, height: 7, message: 'failed' })
  })
})

describe('log fields', () => {
  test('show bytes, big integers, errors and dates readably', () => {
    const { logger, lines } = capture('json')
    logger.info('x', {
      hash: Uint8Array.of(1, 255),
      wei: 10n ** 20n,
      error: new TypeError('no'),
      nested: [{ wei: 1n }],
      at: new Date(0),
    })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      hash: '0x01ff',
      wei: '100000000000000000000',
      error: 'no',
      nested: [{ wei: '1' }],
      at: '1970-01-01T00:00:00.000Z',
    })
  })

  test.each([
    'privateKey',
    'private_key',
    'priv_key',
    'mnemonic',
    'Authorization',
    'appSecret',
    'jwt',
  ])('never show the value of %s, at any depth', (name) => {
    for (const format of ['plain', 'json'] as const) {
      const { logger, lines } = capture(format)
      logger.child({ [name]: 'hush' }).info('x', { [name]: 'hush', a: { b: [{ [name]: 'hush' }] } })
      expect(lines[0]).not.toContain('hush')
      expect(lines[0]).toContain('[redacted]')
    }
  })

  test('end at a reference cycle', () => {
    const { logger, lines } = capture('json')
    const loop: Record<string, unknown> = {}
    loop.self = loop
    logger.info('x', { loop })
    expect(lines[0]).toContain('[deep]')
  })
})

describe('log levels and child loggers', () => {
  test('write nothing below the level', () => {
    const { logger, lines } = capture('plain', 'warn')
    logger.info('no')
    logger.debug('no')
    logger.warn('yes')
    expect(lines).toHaveLength(1)
  })

  test("add the child's fields to each of its lines", () => {
    const { logger, lines } = capture('plain')
    logger.child({ module: 'rpc' }).child({ peer: 1 }).info('x', { a: 2 })
    logger.info('y')
    expect(lines[0]).toContain('INF x module=rpc peer=1 a=2')
    expect(lines[1]).not.toContain('module')
  })
})
