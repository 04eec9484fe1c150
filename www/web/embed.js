// Live programs in anybody's page. With
//
//   <script src="https://HOST/embed.js" async></script>
//
// each `<pre class="mclive">` becomes a playground with its text, once it comes into sight. `data-theme="dark"` and
// `data-read-only` say how, `data-language="cf"` that it is a model. A text that begins with `-- main.mcl --` is a text
// archive of several files. A `<pre>` that is too long for a link stays as it is, and so does every one without scripts.

const site = new URL("./", document.currentScript.src);

/** The longest text that a link opens. Units: bytes. */
const MOST = 64 << 10;

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** A text archive in the form in which links hold several files; null: the text is that of one file. */
function archived(text) {
  if (!/^-- .+ --\n/.test(text)) return null;
  // The names, each with the lines up to the next one.
  const [, ...parts] = text.split(/^-- (.+) --\n/m);
  const names = parts.filter((_, at) => at % 2 === 0).map((name) => name.trim());
  const entry = names.find((name) => /^main\.(mcl|cf)$/.test(name)) ?? names.find((name) => /\.(mcl|cf)$/.test(name));
  const files = Object.fromEntries(names.map((name, at) => [name, parts[2 * at + 1]]));
  return entry ? JSON.stringify({ mclive: 1, entry, files }) : null;
}

/** What a link to this text has behind `c=` or `p=`: version 4, the checksum, the deflated text. */
async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const deflated = new Uint8Array(await new Response(stream).arrayBuffer());
  if (deflated.length > MOST) return null;
  const bytes = new Uint8Array(5 + deflated.length);
  bytes[0] = 4;
  new DataView(bytes.buffer).setUint32(1, crc32(deflated));
  bytes.set(deflated, 5);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function enliven(pre) {
  // The end of a one-line `<pre>` is not the end of a line, and its closing tag may be indented: a program ends with one.
  const text = pre.textContent.replace(/\s*$/, "\n");
  const several = archived(text);
  const packed = await pack(several ?? text);
  if (!packed) return;
  const frame = document.createElement("iframe");
  const { theme, readOnly, language } = pre.dataset;
  let fragment = several ? `p=${packed}` : `c=${packed}`;
  if (!several && language === "cf") fragment += "&f=main.cf";
  if (theme === "dark" || theme === "light") fragment += `&theme=${theme}`;
  if (readOnly !== undefined) fragment += "&readonly=1";
  frame.src = new URL(`embed/#${fragment}`, site).href;
  frame.title = "mclive playground";
  frame.loading = "lazy";
  frame.allow = "clipboard-write";
  frame.style.cssText = "width:100%;border:1px solid #8884;border-radius:8px;display:block";
  frame.style.height = `${Math.max(pre.offsetHeight, 420)}px`;
  pre.replaceWith(frame);
}

const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    sight.unobserve(target);
    enliven(target);
  }
}, { rootMargin: "400px" });

const begin = () => document.querySelectorAll("pre.mclive").forEach((pre) => sight.observe(pre));
if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
else begin();
