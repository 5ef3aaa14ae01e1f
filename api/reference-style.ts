export const STYLE = `
:root{--bg:#fff;--soft:#f6f7f8;--line:#e3e5e8;--text:#16181d;--dim:#5b616b;--accent:#2f5bd3;--get:#1d6b42;--post:#2f5bd3;--put:#8a5300;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#111317;--soft:#191c21;--line:#2a2e35;--text:#e8eaed;--dim:#a0a7b2;--accent:#8fb0ff;--get:#6fd39b;--post:#8fb0ff;--put:#f0b860;--delete:#ff9b93}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
.schema div{scroll-margin-top:48px}
body{margin:0;display:grid;grid-template-columns:300px minmax(0,1fr);background:var(--bg);color:var(--text);font:15px/1.55 system-ui,sans-serif}
a{color:var(--accent)}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:20px 16px;background:var(--soft);border-right:1px solid var(--line)}
nav .brand{font-weight:650;font-size:17px;color:var(--text);text-decoration:none}
nav p{margin:4px 0 12px;font-size:13px}
nav h2{margin:20px 0 6px;font-size:12px;font-weight:600;color:var(--dim)}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:8px;align-items:baseline;padding:3px 6px;border-radius:6px;color:var(--text);text-decoration:none;font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
nav li a span{overflow-wrap:anywhere}
nav li a:hover{background:var(--line)}
main{padding:32px 40px 96px;max-width:960px}
h1{margin:0 0 8px;font-size:28px}
h2.tag{margin:48px 0 0;font-size:20px}
section{margin-top:16px;padding:20px;border:1px solid var(--line);border-radius:10px}
section:target,.schema:has(:target){border-color:var(--accent)}
h3{display:flex;gap:12px;align-items:baseline;margin:0;font-size:15px;overflow-wrap:anywhere}
h3 code{font-size:14px}
h4{margin:16px 0 4px;font-size:13px;color:var(--dim)}
p{margin:6px 0}
.method{font:600 11px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;min-width:46px;color:var(--post)}
.method.get{color:var(--get)}.method.put,.method.patch{color:var(--put)}.method.delete{color:var(--delete)}
.wide{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:14px}
th,td{padding:6px 12px 6px 0;border-top:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
th{width:34%;min-width:150px}
td:nth-child(2){width:24%;color:var(--dim)}
pre{margin:16px 0 0;padding:12px 14px;overflow-x:auto;background:var(--soft);border-radius:8px}
.schema{margin-top:8px;padding:8px 14px;border:1px solid var(--line);border-radius:8px}
.schema summary{cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:800px){body{display:block}nav{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:20px 16px 64px}section{padding:14px}tr,th,td{display:block;width:auto!important;padding:0}tr{padding:8px 0;border-top:1px solid var(--line)}th,td{border:0}}
`;
