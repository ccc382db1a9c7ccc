import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Writes the files that a generator makes, by their names in `folder`. Run with --check it writes nothing,
 * names those that are not what it would write, and exits with 1.
 */
export function writeGenerated(
  generator: string,
  folder: URL,
  files: Readonly<Record<string, () => string>>,
): void {
  const isCheck = process.argv.includes('--check')
  mkdirSync(folder, { recursive: true })
  for (const [name, generate] of Object.entries(files)) {
    const url = new URL(name, folder)
    const text = generate()
    if (!isCheck) writeFileSync(url, text)
    else if (!existsSync(url) || readFileSync(url, 'utf8') !== text) {
      process.stderr.write(`${name} differs from what ${generator} writes; run it\n`)
      process.exitCode = 1
    }
  }
}
