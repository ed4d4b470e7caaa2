"""What people look at: plots and the web site."""
