/**
 * The circles among files that import each other: for each group of files that all reach one another, one shortest way
 * round, first file repeated at the end. `imports` maps a file to the files that it imports, types included.
 */
export function importCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const told = new Set<string>()
  for (const file of [...imports.keys()].toSorted()) {
    if (told.has(file)) continue
    const circle = shortestWay(imports, file)
    if (circle === undefined) continue
    circles.push(circle)
    for (const member of reached(imports, file)) {
      if (reached(imports, member).has(file)) told.add(member)
    }
  }
  return circles
}

/** The shortest way from a file back to itself, if there is one. */
function shortestWay(imports: ReadonlyMap<string, readonly string[]>, file: string): string[] | undefined {
  const ways = [[file]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === file) return [...way, file]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

function reached(imports: ReadonlyMap<string, readonly string[]>, file: string): Set<string> {
  const found = new Set<string>()
  const open = [file]
  for (const each of open) {
    for (const next of imports.get(each) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      open.push(next)
    }
  }
  return found
}
