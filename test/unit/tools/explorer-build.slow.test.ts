import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explorerPolicy } from '../../../host/node/serve/explorer-policy.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'explorer build '))
const site = join(folder, 'site')
const file = join(folder, 'explorer.html')

const run = (builder: string, target: string) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'tools/explorer', builder), target])

beforeAll(async () => {
  await run('build.ts', site)
  await run('standalone.ts', file)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the content security policy of a page, by directive. */
function policyOf(html: string): ReadonlyMap<string, string> {
  const [, content = ''] =
    /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html) ?? []
  const directives = content.replaceAll('&#39;', "'").split('; ')
  return new Map(directives.map((directive) => directive.split(/ (.*)/) as [string, string]))
}

const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

describe('the explorer page of many files', () => {
  const html = () => readFileSync(join(site, 'index.html'), 'utf8')
  const assets = () => readdirSync(join(site, 'assets'))

  test('has no inline script, style or handler', () => {
    expect(html()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
    const policy = explorerPolicy({ 'frame-ancestors': undefined })
    expect([...policyOf(html())].map((directive) => directive.join(' ')).join('; ')).toBe(policy)
  })

  test('loads its files by relative names that contain a hash of their content', () => {
    const loaded = [...html().matchAll(/<(?:script|link)[^>]*\s(?:src|href)="([^"]*)"/g)]
    const files = loaded.map(([, path = '']) => path).filter((path) => path !== 'data:,')
    expect(files.length).toBeGreaterThan(1)
    for (const path of files) expect(path).toMatch(/^\.\/assets\/[\w.-]+-[\w-]{8}\.(js|css)$/)
    for (const name of assets()) expect(name).toMatch(/^[\w.-]+-[\w-]{8}\.(js|css|wasm)$/)
  })

  test('contains the WebAssembly modules unchanged', () => {
    for (const name of ['engine', 'pairing', 'modules']) {
      const packed = assets().filter((asset) => asset.startsWith(`${name}-`) && /wasm$/.test(asset))
      expect(packed.length).toBe(1)
      const bytes = readFileSync(join(site, 'assets', packed[0] as string))
      expect(bytes.equals(readFileSync(join(ROOT, 'build', `${name}.wasm`)))).toBe(true)
    }
  })

  test('reveals nothing of the checkout: no source map, no path', () => {
    expect(readdirSync(site).sort()).toEqual(['assets', 'index.html', 'licenses.md'])
    for (const name of assets()) {
      const text = readFileSync(join(site, 'assets', name), 'latin1')
      expect(text.includes('sourceMappingURL'), name).toBe(false)
      expect(text.includes(ROOT), name).toBe(false)
    }
    expect(readFileSync(file, 'latin1').includes(ROOT)).toBe(false)
  })
})

test('the licences of the bundled libraries are included', () => {
  const text = readFileSync(join(site, 'licenses.md'), 'utf8')
  for (const name of ['preact', '@preact/signals', '@tanstack/virtual-core', '@codemirror/view']) {
    expect(text).toMatch(new RegExp(`^## ${name} - `, 'm'))
  }
  expect(text).toContain('Permission is hereby granted, free of charge')
})

describe('the explorer page of one file', () => {
  const html = () => readFileSync(file, 'utf8')

  test('loads no other file', () => {
    const loaded = [...html().matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="([^"]*)"/g)]
    expect(loaded.map(([, path]) => path)).toEqual(['data:,'])
    expect(readdirSync(folder).sort()).toEqual([basename(file), 'site'])
  })

  test('allows its own script and style by their hashes, and no others', () => {
    const [, script] = /<script type="module">(.*?)<\/script>/s.exec(html()) ?? []
    const [, style] = /<style>(.*?)<\/style>/s.exec(html()) ?? []
    const policy = policyOf(html())
    expect(policy.get('script-src')).toBe(`${hashOf(script)} 'wasm-unsafe-eval'`)
    expect(policy.get('style-src')).toBe(hashOf(style))
    expect(policy.get('default-src')).toBe("'none'")
    // Nothing else is a script: it would be blocked without a visible error.
    expect(
      html()
        .replace(script ?? '', '')
        .match(/<script/g),
    ).toEqual(['<script'])
  })
})
