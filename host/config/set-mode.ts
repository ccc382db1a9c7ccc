/** The text of config.toml with another mode; comments and all else stay. */
export function withMode(text: string, mode: 'full' | 'validator'): string {
  const line = `mode = "${mode}"`
  const section = /^[ \t]*\[/m.exec(text)?.index ?? text.length
  const [top, sections] = [text.slice(0, section), text.slice(section)]
  const written = /^[ \t]*["']?mode["']?[ \t]*=.*$/m
  if (written.test(top)) return top.replace(written, line) + sections
  return `${top}${top === '' || top.endsWith('\n') ? '' : '\n'}${line}\n\n${sections}`
}
