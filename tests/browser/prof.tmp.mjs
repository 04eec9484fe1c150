import { launch, open, write } from "./setup.mjs";
function program(size) {
  let text = 'import "fmt"\n';
  for (let n = 0; text.length < size; n++) {
    text += `$greeting${n} = fmt.printf("hello %d of %s", ${n}, "${n % 7} hosts")\n`
      + `file "/srv/greeting${n}" {\n\tstate   => "exists",\n\tcontent => $greeting${n},\n}\n`;
  }
  return text;
}
const browser = await launch();
const { page } = await open(browser, "http://127.0.0.1:8099/");
await page.locator(".vertex.good").first().waitFor();
await page.evaluate(()=>{
  const w = globalThis.Worker; 
});
await write(page, program(100000));
await page.waitForTimeout(6000);
await page.keyboard.press("Control+End");
await page.waitForTimeout(2000);
const cdp = await page.context().newCDPSession(page);
await cdp.send("Profiler.enable"); await cdp.send("Profiler.start");
const t0=Date.now();
for (let i=0;i<3;i++){ await page.keyboard.press("="); await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor(); console.log("sq", Date.now()-t0); await page.keyboard.press("Backspace"); await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor({state:"detached"}); console.log("gone", Date.now()-t0);await page.waitForTimeout(1500);}
const { profile } = await cdp.send("Profiler.stop");
const self = new Map(); const dt = profile.timeDeltas; const byId = new Map(profile.nodes.map(n=>[n.id,n]));
profile.samples.forEach((id,i)=>{ const n=byId.get(id); const k=n.callFrame.functionName+" "+n.callFrame.url.split("/").pop()+":"+n.callFrame.lineNumber; self.set(k,(self.get(k)||0)+dt[i]); });
console.log([...self].sort((a,b)=>b[1]-a[1]).slice(0,25).map(([k,v])=>(v/1000).toFixed(0)+" ms "+k.slice(0,150)).join("\n"));
await browser.close();
