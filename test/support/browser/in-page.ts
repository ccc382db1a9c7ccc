/** In every document before its own scripts: a refusal by the policy is an error of the console. */
export function reportViolations(): void {
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
    console.error(`policy: ${violatedDirective} refuses ${blockedURI} (${sourceFile})`)
  })
}

/** Drops files on the element of a selector, in the page. */
export function dropFiles({
  selector,
  files,
}: {
  selector: string
  files: readonly { readonly name: string; readonly text: string }[]
}): void {
  const target = document.querySelector(selector)
  if (target === null) throw new Error(`nothing to drop on: ${selector}`)
  const data = new DataTransfer()
  for (const { name, text } of files) data.items.add(new File([text], name))
  for (const type of ['dragenter', 'dragover', 'drop']) {
    target.dispatchEvent(
      new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }),
    )
  }
}

/** The text of an element as it is shown, in the page. */
export function shownText(element: Element): string {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not read by anybody
  return (element as HTMLElement).innerText
}

/** Waits in the page until its fonts are there and nothing of it has changed for a tenth of a second. */
export async function settle(): Promise<void> {
  await document.fonts.ready
  await new Promise<void>((resolve) => {
    let timer = setTimeout(resolve, 100)
    new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(resolve, 100)
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  })
}
