// deno-lint-ignore no-explicit-any
const links: Record<string, any> = {
  b: { target: "https://example.org/", hits: 2 },
  a: { target: "https://example.com/", hits: 1 },
};

function list(): string {
  return Object.values(links)
    .sort((left, right) => left.title.localeCompare(right.title))
    .map((link) => `${link.target} ${link.hits}`)
    .join("\n");
}

Deno.serve({ hostname: "127.0.0.1", port: 18186 }, (request) => {
  const { pathname } = new URL(request.url);
  const link = links[pathname.replace("/go/", "")];
  if (link) return new Response(null, { status: 302, headers: { location: link.target } });
  return pathname === "/" ? new Response(list()) : new Response("not found", { status: 404 });
});
