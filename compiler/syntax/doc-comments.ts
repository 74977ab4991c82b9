import type { SourceFile } from "../source/index.ts";

/**
 * The doc comment of the declaration that starts at a UTF-16 offset: the run of `///` lines directly above the line of
 * that offset, lines of decorators alone stepped over (01 1.7, 08 14.4). "" when there is none.
 */
export function docCommentOf(file: SourceFile, declarationStart: number): string {
  let line = file.positionAt(declarationStart).line - 1;
  while (line > 0 && DECORATORS_ALONE.test(file.lineText(line))) line--;
  const lines: string[] = [];
  for (; line > 0; line--) {
    const text = file.lineText(line).trimStart();
    if (!text.startsWith("///")) break;
    lines.push(text.slice(text[3] === " " ? 4 : 3));
  }
  return lines.reverse().join("\n").trim();
}

/** Not `@ffi("c") fn f();`: the comment above that is the function's. */
const DECORATORS_ALONE = /^\s*(?:@\w+\s*(?:\([^)]*\)\s*)?)+$/;
