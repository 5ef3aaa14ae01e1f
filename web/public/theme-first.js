// Runs before the first paint: a person who chose dark must not see a flash of light.
try {
  const theme = localStorage.getItem('longhaul.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's choice holds.
}
