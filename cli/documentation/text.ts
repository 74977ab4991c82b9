// Documentation as Markdown and as JSON (reference 08 14).
import type { Documentation } from "../commands/doc.ts";

export function renderMarkdown({ title, files }: Documentation): string {
  let text = `# API — ${title}\n`;
  for (const { heading, entries } of files) {
    if (entries.length === 0) continue;
    text += `\n## ${heading}\n`;
    for (const { name, signature, doc, members } of entries) {
      text += `\n### ${name}\n\n\`\`\`hale\n${signature}\n\`\`\`\n`;
      if (doc !== "") text += `\n${doc}\n`;
      for (const member of members) {
        const words = member.doc === "" ? "" : ` — ${member.doc.replaceAll("\n", " ")}`;
        text += `\n- \`${member.signature}\`${words}\n`;
      }
    }
  }
  return text;
}

/** One object an entry, keys in alphabetical order. */
export function renderJson({ files }: Documentation): string {
  const records = files.flatMap(({ heading, entries }) =>
    entries.map(({ doc, kind, members, name, signature }) => ({
      doc,
      file: heading,
      kind,
      members: members.map((member) => ({ doc: member.doc, signature: member.signature })),
      name,
      signature,
    })),
  );
  return `${JSON.stringify(records, null, 2)}\n`;
}
