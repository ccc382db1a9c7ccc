import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MetricRow } from '../../../host/base/metrics/metric-row.ts'
import { METRICS } from '../../../host/base/metrics/metric-table.ts'
import { createMetrics } from '../../../host/base/metrics/metrics.ts'

const tools = new URL('../../../tools/', import.meta.url)
const RULES = fileURLToPath(new URL('prometheus/lockstep.rules.yml', tools))

interface Target {
  readonly expr: string
  readonly legendFormat: string
}

interface Dashboard {
  readonly uid: string
  readonly panels: readonly {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly gridPos: {
      readonly x: number
      readonly y: number
      readonly w: number
      readonly h: number
    }
    readonly targets?: readonly Target[]
  }[]
}

/** Metrics that no panel shows: a panel shows the same value under the node's own name. */
const NOT_SHOWN = Object.entries<MetricRow>(METRICS)
  .filter(([, { of }]) => of !== undefined)
  .map(([name]) => name)

/** Labels that Prometheus adds, or that a histogram has. */
const GIVEN_LABELS = ['instance', 'job', 'le']

/** Label names by sample name, from the metrics page of a node. */
const known = new Map<string, readonly string[]>()
beforeAll(async () => {
  for (const [name, { type, labels }] of Object.entries<MetricRow>(METRICS)) {
    const names =
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
    for (const each of names) known.set(each, labels)
  }
  const page = await createMetrics().render()
  for (const [, name = ''] of page.matchAll(/^# TYPE ((?:process|nodejs)_\w+)/gm))
    known.set(name, [])
})

const metricsOf = (expression: string) =>
  [...expression.matchAll(/\b(?:lockstep|process|nodejs)_\w+/g)].map(([name]) => name)

/** Returns the labels that an expression selects or sums by, and those in its legend. */
function labelsOf(expression: string, legend = ''): string[] {
  const chosen = [...expression.matchAll(/[{,] *(\w+) *(?:=~|!=|=)/g)].map(([, name]) => name)
  const summed = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) =>
    (names as string).split(',').map((name) => name.trim()),
  )
  const shown = [...legend.matchAll(/{{ *(?:\$labels\.)?(\w+) *}}/g)].map(([, name]) => name)
  return [...chosen, ...summed, ...shown] as string[]
}

function expectKnown(expression: string, legend?: string): void {
  const names = metricsOf(expression)
  for (const name of names) expect([...known.keys()], expression).toContain(name)
  const labels = [...GIVEN_LABELS, ...names.flatMap((name) => known.get(name) ?? [])]
  for (const label of labelsOf(expression, legend)) expect(labels, expression).toContain(label)
}

describe('the Grafana dashboard', () => {
  const text = readFileSync(new URL('grafana/generated/lockstep.json', tools), 'utf8')
  const { panels } = JSON.parse(text) as Dashboard
  const targets = panels.flatMap((panel) => panel.targets ?? [])

  test('queries metrics and labels that a node has', () => {
    for (const { expr, legendFormat } of targets) {
      expect(metricsOf(expr).length, expr).toBeGreaterThan(0)
      expectKnown(expr, legendFormat)
    }
  })

  test('shows every metric of the table except those under names of other programs', () => {
    const shown = new Set(targets.flatMap(({ expr }) => metricsOf(expr)))
    const missing = Object.keys(METRICS).filter(
      (name) => !['', '_bucket', '_sum', '_count'].some((end) => shown.has(name + end)),
    )
    expect(missing).toEqual(NOT_SHOWN)
  })

  test('has no overlapping panels, and a unique id for each', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const [i, { title, gridPos: a }] of panels.entries()) {
      for (const { title: other, gridPos: b } of panels.slice(i + 1)) {
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
        expect(apart, `${title} and ${other}`).toBe(true)
      }
    }
  })
})

describe('the Prometheus alerts', () => {
  const text = readFileSync(RULES, 'utf8')
  const rules = [...text.matchAll(/^ +expr: (.*)\n/gm)].map(
    ([, expression]) => expression as string,
  )

  test('query metrics and labels that a node has', () => {
    expect(rules.length).toBe(text.match(/- alert: /g)?.length)
    for (const rule of rules) expectKnown(rule)
  })

  const promtool = spawnSync('promtool', ['--version']).status === 0
  test.skipIf(!promtool)(`are valid${promtool ? '' : ': there is no promtool here'}`, () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', RULES])
    expect(status, `${stdout}${stderr}`).toBe(0)
  })
})
