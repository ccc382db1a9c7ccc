import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LICENSE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i

/** Returns the package folder of a module, or undefined for the project's own. */
function packageFolder(module: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0]
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: string }
  const file = readdirSync(folder).find((found) => LICENSE.test(found))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `## ${name} ${version} (${license ?? 'no licence named'})\n${text}`
}

/** Returns the names of the packages of modules, with their licences, which require it. */
export function licensesOf(modules: readonly string[]): string {
  const folders = modules.map(packageFolder).filter((folder) => folder !== undefined)
  const packages = [...new Set(folders)].map(licenseOf).sort()
  return ['# Licences of bundled packages\n', ...packages].join('\n')
}
