/** Times of dropping a bundle on the explorer, in milliseconds. */
export interface DropTimes {
  /** From the drop to the frame that shows the text. */
  readonly shown: number
  /** Longest time for which the page's thread was blocked. */
  readonly stall: number
}

/** Drops a bundle on the page and waits for a text. Runs in the page. */
export function dropUntilShown({
  text,
  wanted,
}: {
  text: string
  wanted: string
}): Promise<DropTimes> {
  const data = new DataTransfer()
  data.items.add(new File([text], 'bundle.json'))
  const { port1, port2 } = new MessageChannel()
  let last = performance.now()
  let stall = 0
  port1.onmessage = () => {
    const now = performance.now()
    stall = Math.max(stall, now - last)
    last = now
    port2.postMessage(0)
  }
  port2.postMessage(0)
  const start = performance.now()
  for (const type of ['dragenter', 'dragover', 'drop']) {
    const init = { dataTransfer: data, bubbles: true, cancelable: true }
    document.body.dispatchEvent(new DragEvent(type, init))
  }
  return new Promise((resolve) => {
    const look = () => {
      if (!document.body.textContent.includes(wanted)) return requestAnimationFrame(look)
      port1.close()
      resolve({ shown: performance.now() - start, stall })
    }
    look()
  })
}
