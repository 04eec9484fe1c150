// A host for the tests of what it has: a user and a file that the program describes.
import { write } from "./setup.mjs";

const PROGRAM = 'user "bob" {\n\tstate => "exists",\n\tshell => "/bin/zsh",\n}\nfile "/srv/kept" {\n\tstate => "exists",\n\tcontent => "as it was\\n",\n\tmode => "0644",\n}\n';

/** Waits until the host is as described, and shows it. */
export async function start(page) {
  await page.locator(".vertex").first().waitFor();
  await write(page, PROGRAM);
  await page.locator(".vertex.good[data-name*='/srv/kept']").waitFor();
  await page.locator(".transport .status").getByText("Converged").waitFor();
  await page.getByRole("tab", { name: /Host/ }).click();
}
