/** Copies a text, and returns a message about the result. */
export async function copyText(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return `Copied ${text.length > 80 ? `${text.length} characters` : text}.`
  } catch {
    return 'The browser did not let the page copy: select the text and copy it yourself.'
  }
}
